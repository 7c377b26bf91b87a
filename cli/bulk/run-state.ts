import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Failure, usage } from '../failure.ts';

/** What identifies a send: hashes of the file and of everything else that decides what is sent. */
export interface RunIdentity {
  file: string;
  recipe: string;
  account: string;
  /** By which version of the rules the file is divided into requests. */
  plan: number;
}

/** What a later start must know of a run, besides its report. */
export interface RunState extends RunIdentity {
  begun_at: string;
  /**
   * How many rows the report had. All that the file has, once the report has lost some: nobody knows then how many were sent, and so all that
   * it does not have may have been sent as long ago as the run was begun, until it has all of them.
   */
  reported: number;
  /** No row beyond the report's was sent before this time. null: none was sent at all. */
  open_since: string | null;
  /** The process that works on the run; 0 if none does, because the last one ended in order. */
  pid: number;
}

const NOBODY = 0;
/** The gateway keeps keys for 24 hours. The last half hour is not relied on, because a batch may be repeated for 15 minutes. */
const KEY_LIFE_MS = 24 * 3_600_000 - 30 * 60_000;
/** A time that lies further ahead was written before the clock of this machine was set back, and does not tell how old anything is. */
const AHEAD_MAX_MS = 60_000;

/** The state of the run, from the file beside its report; undefined before the first start. */
export function readRunState(path: string): RunState | undefined {
  if (!existsSync(path)) return undefined;
  const state = parse(path);
  if (state === undefined) throw usage(`${path} cannot be read, so nothing says what was sent. It is safest to look.`);
  return state;
}

/** Replaces the file as a whole: a crash leaves the old state or the new one. */
export function writeRunState(path: string, state: RunState): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(state)}\n`);
  renameSync(`${path}.new`, path);
}

/**
 * Says that this process no longer works on the run. Otherwise a later process with the same process id, as the next run in a container may
 * have, would seem to.
 */
export function releaseRun(path: string): void {
  const state = readRunState(path);
  if (state?.pid === process.pid) writeRunState(path, { ...state, pid: NOBODY });
}

/** Throws if going on would send something else than what was begun. */
export function checkIdentity(before: RunState, now: RunIdentity, report: string): void {
  if (before.plan !== now.plan)
    throw usage(
      `${report} was begun by another version of this program, which parts a file into other requests: going on with this one might send twice. Go on with the version that began it.`,
    );
  const changed = [
    ...(before.file === now.file ? [] : ['the file']),
    ...(before.recipe === now.recipe ? [] : ['the text, the template or another option']),
    ...(before.account === now.account ? [] : ['the account or the mode of the key']),
  ];
  if (changed.length > 0)
    throw usage(
      `${report} belongs to another send: since then ${changed.join(' and ')} has changed. This would be a new send to everybody. If you mean it, name another report with --report.`,
    );
}

/** Throws if going on might send something twice. `rows`: how many the report has. */
export function checkOpenRows(before: RunState, rows: number, report: string): void {
  const doubt = doubtOf(before, rows, report);
  // With --force neither is looked at any more. So whoever is told to add it because of a process is told of the doubt too.
  if (before.pid !== NOBODY && before.pid !== process.pid && isRunning(before.pid))
    throw new Failure(
      `Process ${before.pid} is at work on ${report}. If that is something else by now, ${doubt === undefined ? 'add --force.' : `read on.\n${doubt}`}`,
    );
  if (doubt !== undefined) throw new Failure(doubt);
}

/** Why nobody can tell whether rows were sent that the report does not have, and what to do; undefined if the gateway can. */
function doubtOf(before: RunState, rows: number, report: string): string | undefined {
  const since = openSince(before, rows);
  if (since === null) return undefined;
  const inDoubt = (what: string, messages: string) =>
    `This send was broken off, and what was under way ${what}.\nLook for the rows after number ${rows} of ${report} with "npx waypost ${messages}". With --force the send goes on, and some may get it twice.`;
  const ageMs = Date.now() - Date.parse(since);
  if (ageMs > KEY_LIFE_MS)
    return inDoubt(
      `since ${since} may have been sent or not: the gateway keeps its answers for 24 hours, and can no longer tell`,
      `messages --since ${since}`,
    );
  if (ageMs < -AHEAD_MAX_MS)
    return inDoubt(
      `may have been sent or not: by the clock of this machine that was at ${since}, which is yet to come. So nobody knows whether it is less than 24 hours ago, for which the gateway keeps its answers`,
      'messages',
    );
  return undefined;
}

/** Since when rows may have been sent that the report does not have. If the report has lost rows, some of these were sent. */
export function openSince(before: RunState, rows: number): string | null {
  return rows < before.reported ? before.begun_at : before.open_since;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function parse(path: string): RunState | undefined {
  try {
    // The first version did not write the plan.
    const {
      file,
      recipe,
      account,
      plan = 1,
      begun_at,
      reported,
      open_since,
      pid,
    } = Object(JSON.parse(readFileSync(path, 'utf8')));
    const texts = [file, recipe, account, begun_at].every((value) => typeof value === 'string');
    const opened = open_since === null || typeof open_since === 'string';
    const numbers = [plan, reported, pid].every((value) => typeof value === 'number');
    if (!texts || !opened || !numbers) return undefined;
    return { file, recipe, account, plan, begun_at, reported, open_since, pid };
  } catch {
    return undefined; // The caller reports it. Nothing can be repaired here.
  }
}
