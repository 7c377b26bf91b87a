/** How often a burst is looked at. */
export const BURST_STEP_MS = 20;
/** At this rate receiving and applying go side by side, and neither waits for the other. */
const SIDE_BY_SIDE_A_SECOND = 4_000;
/** A round that takes fewer shows that nothing has gathered. */
const GATHERED_MIN = 100;
/** Applying falls behind by this much at most: a longer burst shares the machine with it. */
const BEHIND_MAX_MS = 3_000;
/** A machine that is busy elsewhere for a moment does not end a burst, and a round begun within it takes longer than this. */
const CALM_MS = 100;
/**
 * A round that shares the machine with a burst lets no more in than this: how much would come is seen only while nothing is
 * applied, for one step at a time and not often, because that step is lost to applying.
 */
const LOOK_A_SECOND = 1_000;
const LOOK_EVERY_MS = 1_000;

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
  let now: 'applying' | 'looking' | 'answering' = 'applying';
  let behindSinceMs: number | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  /** Before the last round; within a burst, when it was last seen to go on. */
  let seen = { received: 0, atMs: 0 };

  function judge(perSecond: number, nowMs: number): typeof now {
    if (perSecond > SIDE_BY_SIDE_A_SECOND) return 'answering';
    if (now === 'answering' && nowMs - seen.atMs < CALM_MS) return 'answering';
    if (now !== 'applying' || perSecond <= LOOK_A_SECOND || nowMs - lookedAtMs < LOOK_EVERY_MS) return 'applying';
    lookedAtMs = nowMs;
    return 'looking';
  }

  return {
    answersFirst(taken, received, nowMs) {
      const perSecond = ((received - seen.received) / (nowMs - seen.atMs)) * 1_000;
      behindSinceMs = taken < GATHERED_MIN ? undefined : (behindSinceMs ?? nowMs);
      const mayWait = behindSinceMs !== undefined && nowMs - behindSinceMs < BEHIND_MAX_MS;
      const next = mayWait ? judge(perSecond, nowMs) : 'applying';
      const goesOn = next === 'answering' && perSecond <= SIDE_BY_SIDE_A_SECOND;
      if (!goesOn) seen = { received, atMs: nowMs };
      now = next;
      return next !== 'applying';
    },
  };
}
