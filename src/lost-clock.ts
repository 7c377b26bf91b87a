/** Node 26 is of this year, so no gateway has run before. */
const FIRST_MS = Date.UTC(2026, 0);

/**
 * Throws a sentence for the operator if the clock of this machine has lost the time, as one without a battery has until it is set by the
 * network. Every id has its time in it: what is made in such a moment would be past its keeping once the clock is right, and in the first
 * days of 1970 not even a database can be made.
 */
export function refuseLostClock(nowMs: number): void {
  if (nowMs >= FIRST_MS) return;
  throw new Error(
    `The clock of this machine is wrong: it says ${new Date(nowMs).toISOString()}. Set it right, then start again.`,
  );
}
