/** The rests of a loop between its rounds. */
export interface Rest {
  /** How many nudges there were. To be read before a round, for the rest after it. */
  readonly nudges: number;
  /** There is something to do: ends the rest, or keeps the next one from beginning if a round is under way. */
  nudge(): void;
  /** Resolves when the time is up, or at once if there were more nudges than so many. */
  rest(nudgesBefore: number): Promise<void>;
}

/** Lets a loop rest for so long at most, and never through a nudge that came while a round was under way. */
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
