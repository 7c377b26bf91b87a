import type { Logger } from 'pino';
import type { KeepDays } from '../kernel/keep.ts';
import { type RunStep, runOnce } from '../kernel/run-step.ts';
import type { Node } from '../nodes/node.ts';
import { unwatched, type WatchRound } from '../observe/loops.ts';
import type { Database } from '../store/database.ts';
import { makeWeeks } from './make-weeks.ts';
import { recover } from './recover.ts';
import { repeat } from './repeat.ts';
import { tidy } from './tidy.ts';

/** Together with the lease of a node this keeps a crash settled within the promised 30 s. */
const RECOVER_EVERY_MS = 5_000;
const TIDY_EVERY_MS = 3_600_000;
/** Soon, because nodes may be replaced more often than each hour; and not before the first calls of a start are answered. */
const TIDY_AFTER_MS = 10_000;

interface Deps {
  database: Database;
  node: Node;
  docsUrl(): string;
  log: Logger;
  keep: KeepDays;
  /** What slices do by themselves, and how often. */
  rounds: readonly Round[];
  watch?(loop: string, periodSeconds: number): WatchRound;
  tidyAfterMs?: number;
  runStep?: RunStep;
}

/** What a node does by itself, again and again. */
export interface Round {
  name: string;
  /** What it returns, if it is a number, says how much there was to do. */
  run(): Promise<unknown>;
  everyMs: number;
  /** How many of them run side by side, each with its own rest after its own last round; without it one. */
  atATime?: number;
  /** When it runs first; without it after `everyMs`. */
  firstMs?: number;
}

export interface RunningRounds {
  /** Ends after the rounds that are under way; tidying after its next statement. */
  stop(): Promise<void>;
}

/**
 * Starts what happens by itself, on every node. When this resolves, what gone nodes had left is settled, so that a restart serves
 * only what is settled, and the weeks are there. Nobody waits for what has expired, and after a long rest it may be a lot, so it
 * is forgotten later.
 */
export async function startRounds(deps: Deps): Promise<RunningRounds> {
  const { database, log, tidyAfterMs = TIDY_AFTER_MS, runStep = runOnce } = deps;
  let stopping = false;
  await runStep(() => recover(deps));
  await runStep(() => makeWeeks(database, log));
  const rounds: Round[] = [
    { name: 'recovery', run: () => recover(deps), everyMs: RECOVER_EVERY_MS },
    { name: 'tidy', run: () => tidy(deps, () => stopping), everyMs: TIDY_EVERY_MS, firstMs: tidyAfterMs },
    ...deps.rounds,
  ];
  const loops = rounds.flatMap((round) => {
    const run = watched(round, deps);
    return Array.from({ length: round.atATime ?? 1 }, () => repeat(run, round.everyMs, log, round.firstMs));
  });
  return {
    async stop() {
      stopping = true;
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** One round, watched, with a line in the log if it had something to do. */
function watched({ name, run, everyMs }: Round, { watch = () => unwatched, log }: Deps): () => Promise<void> {
  const watchRound = watch(name, everyMs / 1_000);
  return async () => {
    const begunMs = performance.now();
    const done = await watchRound(run);
    if (typeof done === 'number' && done > 0)
      log.info({ round: name, done, duration_ms: Math.round(performance.now() - begunMs) }, 'round.done');
  };
}
