import type { SteadyClock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';

/** The bucket of a key that was idle this long is full by now, so it can be forgotten. */
const IDLE_MS = 60_000;

/** An empty bucket is full again after this time. */
const WINDOW_MS = 1_000;

export interface RateLimits {
  /**
   * Takes `cost` from the key's bucket; false: it does not fit, and nothing is taken. What is left then is noted in `left`, of
   * the call that it is taken for.
   */
  take(policy: RatePolicy, keyId: string, cost: number, left: RateLeft): boolean;
  /** The `RateLimit-Policy` and `RateLimit` fields for an answer to this key, by what its call has left. */
  fields(keyId: string, left: Readonly<RateLeft>): Record<string, string>;
}

export type RatePolicy = 'requests' | 'recipients';

/**
 * The whole tokens that a call left when it took some; undefined: it took none. A send may take longer than its tokens take
 * to come back, and others take some meanwhile: its answer must still tell what was left after it.
 */
export type RateLeft = Record<RatePolicy, number | undefined>;

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * A token bucket per key for each policy; the quota is what fits in one second. A call that does not fit as a whole is
 * refused as a whole. The fields follow draft-ietf-httpapi-ratelimit-headers.
 */
export function createRateLimits(quotas: Record<RatePolicy, number>, clock: SteadyClock): RateLimits {
  const buckets: Record<RatePolicy, Map<string, Bucket>> = { requests: new Map(), recipients: new Map() };
  const policyField = `"requests";q=${quotas.requests};w=1, "recipients";q=${quotas.recipients};w=1`;
  let sweptMs = clock.steadyMs();

  function bucketOf(policy: RatePolicy, keyId: string): Bucket {
    const nowMs = clock.steadyMs();
    const quota = quotas[policy];
    const bucket = buckets[policy].get(keyId) ?? { tokens: quota, atMs: nowMs };
    const refilled = bucket.tokens + ((nowMs - bucket.atMs) * quota) / WINDOW_MS;
    bucket.tokens = Math.min(quota, refilled);
    bucket.atMs = nowMs;
    buckets[policy].set(keyId, bucket);
    return bucket;
  }

  function sweep(): void {
    const nowMs = clock.steadyMs();
    if (nowMs - sweptMs < IDLE_MS) return;
    sweptMs = nowMs;
    for (const byKey of Object.values(buckets))
      for (const [keyId, bucket] of byKey) if (nowMs - bucket.atMs > IDLE_MS) byKey.delete(keyId);
  }

  return {
    take(policy, keyId, cost, left) {
      sweep();
      const bucket = bucketOf(policy, keyId);
      const taken = bucket.tokens >= cost;
      if (taken) bucket.tokens -= cost;
      left[policy] = Math.floor(bucket.tokens);
      return taken;
    },
    fields(keyId, left) {
      const leftOf = (policy: RatePolicy) => left[policy] ?? Math.floor(bucketOf(policy, keyId).tokens);
      return {
        'ratelimit-policy': policyField,
        ratelimit: `"requests";r=${leftOf('requests')};t=1, "recipients";r=${leftOf('recipients')};t=1`,
      };
    },
  };
}

/** The refusal of a call that does not fit. No call costs more than a second's quota, so it fits after a second. */
export function rateLimited(policy: RatePolicy): ApiError {
  return new ApiError('rate_limited', `The limit of ${policy} a second is used up.`, {
    headers: { 'retry-after': '1' },
  });
}
