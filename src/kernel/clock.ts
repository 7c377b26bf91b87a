/** The time of day, injected so that tests can move it. It jumps when somebody sets it, so it is only for times that are written down. */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
}

/** Time that only passes, however the time of day is set: for deadlines, limits and what is remembered for a while. */
export interface SteadyClock {
  /** Milliseconds since some moment, the same for the whole process. */
  steadyMs(): number;
}

export const systemClock: Clock & SteadyClock = { nowMs: () => Date.now(), steadyMs: () => performance.now() };
