/** Free-form messages reach a person within this time of the person's last message or call, or of the last call of ours that the person accepted. */
const WINDOW_MS = 24 * 3_600_000;

/** Whether the window for free-form messages is open, as far as we know. Only the provider knows for certain. */
export function isWindowOpen(lastAt: Date | undefined, nowMs: number): boolean {
  return lastAt !== undefined && nowMs - lastAt.getTime() < WINDOW_MS;
}

/** What we know of the window, in a sentence for a person. */
export function describeWindow(lastAt: Date | undefined): string {
  if (lastAt === undefined)
    return 'The person has neither written to nor called this number, as far as this service knows';
  return `The person last wrote to or called this number at ${lastAt.toISOString()}, as far as this service knows`;
}

/** The same for a message that the provider refused for its closed window. */
export function describeClosedWindow(lastAt: Date | undefined): string {
  return `More than 24 hours have passed since the person wrote or called. ${describeWindow(lastAt)}`;
}
