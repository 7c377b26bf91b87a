import type { Clock } from '../kernel/clock.ts';
import { type KeepDays, keepLimitsByTwoClocks } from '../kernel/keep.ts';
import type { Database } from '../store/database.ts';
import { countDue } from './count-due.ts';
import { collectMarks, sweepMessages } from './due-store.ts';
import type { NotedMinutes } from './mark.ts';
import { STEPS } from './step.ts';

/** How new the figures are, together with the pause before a minute is counted again. */
const COUNT_EVERY_MS = 2_000;
/** Counting takes a fifth of one connection at most; what is left waits for the next round, and figures are older. */
const COUNT_MS_MAX = 500;
const MARKS_A_BATCH = 5_000;

const LOOK_EVERY_MS = 60_000;
const SWEEP_EVERY_SECONDS = 900;
/** Far above the time from the making of a message to the commit of its outcome, even with a store in trouble. */
const SWEEP_OVERLAP_SECONDS = 600;
/** The first sweep reads all messages that there are. */
const SWEEP_TIMEOUT_MS = 600_000;

interface Deps {
  database: Database;
  noted: NotedMinutes;
  days: KeepDays;
  clock: Clock;
}

/** The rounds that keep the statistics up to date, on every node. */
export function statisticsRounds(deps: Deps) {
  const sweep = () =>
    deps.database.transaction((tx) => sweepMessages(tx, SWEEP_EVERY_SECONDS, SWEEP_OVERLAP_SECONDS), {
      statementTimeoutMs: SWEEP_TIMEOUT_MS,
    });
  return [
    { name: 'statistics', run: () => countRound(deps), everyMs: COUNT_EVERY_MS },
    { name: 'statistics_sweep', run: sweep, everyMs: LOOK_EVERY_MS },
  ];
}

/**
 * Has all that is marked counted, if it is due and the time allows; what is left is for the next round. Returns how many
 * buckets were counted.
 */
export async function countRound({ database, noted, days, clock }: Deps): Promise<number> {
  await noted.flush();
  const endMs = performance.now() + COUNT_MS_MAX;
  while ((await collectMarks(database, MARKS_A_BATCH)) === MARKS_A_BATCH && performance.now() < endMs);
  // By both clocks, as when messages are deleted: what one clock that is ahead took for deleted would never be counted.
  const keptFromMs = (atMs: number) => keepLimitsByTwoClocks(days, clock, atMs).messagesFromMs;
  let counted = 0;
  for (let more = true; more && performance.now() < endMs; ) {
    const before = counted;
    // In this order, so that what a minute changes reaches its day in the same round.
    for (const step of STEPS) counted += await countDue(database, step, keptFromMs);
    more = counted > before;
  }
  return counted;
}
