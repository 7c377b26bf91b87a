import { unavailable } from './unavailable.ts';

/**
 * Rejects by `unavailable`, with these words, unless a turn comes within `waitMs`. Call what it returns when the turn has come; false:
 * it was given up.
 */
export function turnInTime(waitMs: number, tooLong: string, reject: (error: Error) => void): () => boolean {
  let gaveUp = false;
  const timer = setTimeout(() => {
    gaveUp = true;
    reject(unavailable(tooLong));
  }, waitMs);
  return () => {
    clearTimeout(timer);
    return !gaveUp;
  };
}
