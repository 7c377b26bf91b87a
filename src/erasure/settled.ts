import { LATE_ANSWER_MS } from '../provider/port.ts';

/** Longer than the store lets a statement run and its answer be awaited, so it covers a last commit that is in doubt. */
const COMMIT_MS = 40_000;
/** Others settle within this time what a gateway leaves that dies. It is longer than a key is believed that was revoked. */
const RECOVERY_MS = 30_000;

export interface SendLimits {
  sendDeadlineMs: number;
  providerTimeoutMs: number;
}

/**
 * Erasing ends no sooner than so long after it was asked for: by then all that was under way has written what it knows. A
 * send has its deadline, and late answers have their time after it; what else asks the provider has the provider's time.
 */
export function settledAfterMs({ sendDeadlineMs, providerTimeoutMs }: SendLimits): number {
  return sendDeadlineMs + LATE_ANSWER_MS + providerTimeoutMs + COMMIT_MS + RECOVERY_MS;
}
