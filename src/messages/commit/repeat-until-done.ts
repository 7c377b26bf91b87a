import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isPassingFailure } from '../../store/passing-failure.ts';

const RETRY_PAUSE_MS = 250;
/** A refusal that does not pass by itself, such as a lost grant, is for an operator to mend; the outcomes are known nonetheless. */
const REFUSED_PAUSE_MS = 5_000;

/** What becomes of work that the database refuses for a reason that does not pass by itself. */
export type IfRefused = 'throw' | 'go_on';

/** Work that goes on being refused. */
export interface Refused {
  waiting: number;
  /** Then it is left to whoever recovers what this node leaves. */
  stopping: boolean;
}

/** Does the work again and again while the database is away, or, if it is to `go_on`, whatever it is refused for. */
export async function repeatUntilDone(
  work: () => Promise<void>,
  ifRefused: IfRefused,
  refused: Refused,
  log: Logger,
): Promise<void> {
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
          refused.waiting += 1;
          log.fatal({ err: error }, 'outcomes.not_writable');
        }
        if (!passing && (ifRefused === 'throw' || refused.stopping)) throw error;
        await wait(passing ? RETRY_PAUSE_MS : REFUSED_PAUSE_MS);
      }
    }
  } finally {
    if (isRefused) refused.waiting -= 1;
  }
}
