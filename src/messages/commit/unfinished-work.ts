import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createInFlight } from '../../kernel/in-flight.ts';
import { isPassingFailure } from '../../store/passing-failure.ts';

const RETRY_PAUSE_MS = 250;
/** A refusal that does not pass by itself, such as a lost grant, is for an operator to mend; the outcomes are known nonetheless. */
const REFUSED_PAUSE_MS = 5_000;

/** What becomes of work that the database refuses for a reason that does not pass by itself. */
export type IfRefused = 'throw' | 'go_on';

/** What is to be written, whatever happens to the database meanwhile. */
export interface UnfinishedWork {
  /** How much of it the database goes on refusing. */
  readonly refused: number;
  /** Does the work again and again while the database is away, or, if it is to `go_on`, whatever it is refused for. */
  untilDone(work: () => Promise<void>, ifRefused: IfRefused): Promise<void>;
  /**
   * For the stop: resolves when all of it is done. What is refused is not tried again from now on: it is left to whoever recovers what
   * this node leaves.
   */
  idle(): Promise<void>;
}

export function createUnfinishedWork(log: Logger): UnfinishedWork {
  const inFlight = createInFlight();
  let refused = 0;
  let stopping = false;

  async function repeat(work: () => Promise<void>, ifRefused: IfRefused): Promise<void> {
    let isRefused = false;
    try {
      for (let tries = 1; ; tries++) {
        try {
          return await work();
        } catch (error) {
          const passing = isPassingFailure(error);
          if (passing && tries === 1) log.warn({ err: error }, 'outcomes.waiting_for_store');
          if (!passing && !isRefused) {
            isRefused = true;
            refused += 1;
            log.fatal({ err: error }, 'outcomes.not_writable');
          }
          if (!passing && (ifRefused === 'throw' || stopping)) throw error;
          await wait(passing ? RETRY_PAUSE_MS : REFUSED_PAUSE_MS);
        }
      }
    } finally {
      if (isRefused) refused -= 1;
    }
  }

  return {
    get refused() {
      return refused;
    },
    untilDone: (work, ifRefused) => inFlight.add(repeat(work, ifRefused)),
    idle() {
      stopping = true;
      return inFlight.idle();
    },
  };
}
