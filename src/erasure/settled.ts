import { RECOVERY_MS } from '../kernel/lease.ts';
import { LATE_ANSWER_MS } from '../provider/port.ts';
import { ANSWER_TIMEOUT_MS } from '../store/database.ts';

/** It covers a last commit that is in doubt, and the connection that it was waiting for. */
const COMMIT_MS = ANSWER_TIMEOUT_MS + 5_000;

export interface SendLimits {
  sendDeadlineMs: number;
  providerTimeoutMs: number;
}

/**
 * Erasing ends no sooner than so long after it was asked for: by then all that was under way has written what it knows. A
 * send has its deadline, and late answers have their time after it; what else asks the provider has the provider's time. What
 * a gateway leaves that dies is settled by others; that takes longer than a key is believed that was revoked.
 */
export function settledAfterMs({ sendDeadlineMs, providerTimeoutMs }: SendLimits): number {
  return sendDeadlineMs + LATE_ANSWER_MS + providerTimeoutMs + COMMIT_MS + RECOVERY_MS;
}
