import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createRest } from '../kernel/rest.ts';
import { unwatched, type WatchRound } from '../observe/loops.ts';
import type { Database } from '../store/database.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import { type RoundDeps, runRound } from './apply-round.ts';
import { BURST_STEP_MS, createBurst } from './burst.ts';
import type { ClaimOrder } from './pack-store.ts';

/** Finds what other nodes have left and what has waited long enough. The own intake nudges at once. */
export const POLL_MS = 1_000;

export interface Processor {
  /** Something was received: do not wait for the next poll. */
  nudge(): void;
  /** Ends after the round that is under way. */
  stop(): Promise<void>;
}

export interface ProcessorDeps extends RoundDeps {
  watch?: WatchRound;
}

/**
 * Applies what was received, in rounds, as long as the process lives. Nodes share the work pack by pack. In every second round the numbers
 * that are not busy come first, so that they wait for two rounds at most. The other rounds take the oldest of all packs, so that the
 * busy numbers get on however many others there are.
 */
export function startProcessor(
  database: Database,
  deps: ProcessorDeps,
  log: Logger,
  /** Told after a round that had something to do: events may have been recorded. */
  onApplied = () => {},
): Processor {
  let stopped = false;
  const rounds = createRest(POLL_MS);
  const burst = createBurst();

  const loop = async () => {
    let order: ClaimOrder = 'quiet';
    while (!stopped) {
      const nudgesBefore = rounds.nudges;
      const taken = await tryRound(database, deps, log, order);
      order = order === 'quiet' ? 'oldest' : 'quiet';
      if (taken > 0) onApplied();
      else await rounds.rest(nudgesBefore);
      while (!stopped && burst.answersFirst(taken, rounds.nudges, performance.now())) await wait(BURST_STEP_MS);
    }
  };
  const ended = loop();

  return {
    nudge: rounds.nudge,
    stop() {
      stopped = true;
      rounds.nudge();
      return ended;
    },
  };
}

/** How many notifications it took; if any, there may be more to do at once. */
async function tryRound(database: Database, deps: ProcessorDeps, log: Logger, order: ClaimOrder): Promise<number> {
  try {
    const { watch = unwatched } = deps;
    return await watch(() => runRound(database, deps, log, order));
  } catch (error) {
    if (!isPassingFailure(error)) throw error;
    // All stays as it was, and the next round takes it again.
    log.warn({ err: error }, 'notifications.round_failed');
    return 0;
  }
}
