/** How often a burst is looked at. */
export const BURST_STEP_MS = 20;
/** At this rate receiving and applying go side by side, and neither waits for the other. */
const SIDE_BY_SIDE_A_SECOND = 4_000;
/** A round that takes fewer shows that nothing has gathered. */
const GATHERED_MIN = 100;
/** Applying falls behind by this much at most: a longer burst shares the machine with it. */
const BEHIND_MAX_MS = 3_000;

export interface Burst {
  /**
   * Whether answers come before the next round. `taken`: what the last round took; `received`: how many have been received
   * since the beginning. To be asked before each round, and again every `BURST_STEP_MS` while it says yes.
   */
  answersFirst(taken: number, received: number, nowMs: number): boolean;
}

/**
 * Lets a burst be answered first and applied afterwards, because the provider counts on quick answers and repeats what
 * gets none, while what is committed cannot be lost and may wait a moment.
 */
export function createBurst(): Burst {
  let behindSinceMs: number | undefined;
  let seen = { received: 0, atMs: 0 };
  return {
    answersFirst(taken, received, nowMs) {
      const before = seen;
      if (nowMs - before.atMs >= BURST_STEP_MS) seen = { received, atMs: nowMs };
      if (taken < GATHERED_MIN) {
        behindSinceMs = undefined;
        return false;
      }
      behindSinceMs ??= nowMs;
      if (nowMs - behindSinceMs >= BEHIND_MAX_MS) return false;
      return received - before.received > ((nowMs - before.atMs) / 1_000) * SIDE_BY_SIDE_A_SECOND;
    },
  };
}
