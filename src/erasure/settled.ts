import { RECOVERY_MS } from '../kernel/lease.ts';
import { LATE_ANSWER_MS } from '../provider/port.ts';
import { ANSWER_TIMEOUT_MS } from '../store/session.ts';

/** Time for a last commit whose answer does not come, and for the wait for its connection before. */
const COMMIT_MS = ANSWER_TIMEOUT_MS + 5_000;

export interface SendLimits {
  sendDeadlineMs: number;
  providerTimeoutMs: number;
}

/**
 * How long after it was asked for erasing may end at the earliest: by then all that was under way has written what it knows. A send
 * ends by its deadline, its late answers have their time after that, and anything else that asks the provider has the provider's
 * time limit. What a gateway leaves behind when it dies is settled by others within `RECOVERY_MS`; a revoked key is believed for
 * a shorter time than that.
 */
export function settledAfterMs({ sendDeadlineMs, providerTimeoutMs }: SendLimits): number {
  return sendDeadlineMs + LATE_ANSWER_MS + providerTimeoutMs + COMMIT_MS + RECOVERY_MS;
}
