/**
 * How often a page, of some 64 KiB, is read for all streams of an account together that are far behind. Calls of the feed have a
 * rate limit, but pages of a stream have none: forty readers that began anew whenever they had read a log to its end took the
 * gateway from everybody else.
 */
const PAGE_EVERY_MS = 10;
/** Beyond so many accounts those whose turns have passed are forgotten. */
const ACCOUNTS_MAX = 1_000;

/** Returns in how many ms an account's next page may be read, and takes that turn. */
export type TakePage = (accountId: string) => number;

/** Turns of the streams that catch up. Those of one account share its turns; those of others do not wait for them. */
export function createCatchUp(pageEveryMs = PAGE_EVERY_MS): TakePage {
  const nextMs = new Map<string, number>();
  return (accountId) => {
    const nowMs = performance.now();
    if (nextMs.size >= ACCOUNTS_MAX) for (const [id, atMs] of nextMs) if (atMs <= nowMs) nextMs.delete(id);
    const atMs = Math.max(nowMs, nextMs.get(accountId) ?? nowMs);
    nextMs.set(accountId, atMs + pageEveryMs);
    return atMs - nowMs;
  };
}
