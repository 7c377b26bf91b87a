/** The rests of a loop between its rounds. */
export interface Rest {
  /** How many nudges there were so far. To be read before a round, for the rest after it. */
  readonly nudges: number;
  /** Tells that there is something to do: ends the rest or, while a round is under way, skips the next one. */
  nudge(): void;
  /** Resolves when the time is up or at a nudge; at once if there were more than `nudgesBefore` by now. */
  rest(nudgesBefore: number): Promise<void>;
}

/** Lets a loop rest between its rounds, for `restMs` at most, without missing a nudge that came during a round. */
export function createRest(restMs: number): Rest {
  let nudges = 0;
  let wake = () => {};
  return {
    get nudges() {
      return nudges;
    },
    nudge() {
      nudges += 1;
      wake();
    },
    rest: (nudgesBefore) =>
      new Promise((resolve) => {
        if (nudges > nudgesBefore) return resolve();
        const timer = setTimeout(resolve, restMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
