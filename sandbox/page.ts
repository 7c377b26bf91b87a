import { GraphError } from './graph-error.ts';

/** A cursor of Graph is the place in the list, in base 64, followed by these letters. */
const CURSOR_END = 'ZD';

/** One page of a list. Without items it has no cursors. */
export interface Page<T> {
  items: readonly T[];
  cursors: { before: string; after: string } | undefined;
  hasPrevious: boolean;
  hasNext: boolean;
}

/**
 * Cuts a page out of a list as Graph does: after the cursor `after`, or before the cursor `before`, or else from the start.
 * https://developers.facebook.com/docs/graph-api/results
 */
export function cutPage<T>(
  list: readonly T[],
  { limit, after, before }: { limit: number; after: string | undefined; before: string | undefined },
): Page<T> {
  const end = before ? readCursor(before) : list.length;
  const start = before ? Math.max(0, end - limit) : after ? readCursor(after) + 1 : 0;
  const items = list.slice(start, Math.min(end, start + limit));
  const last = start + items.length - 1;
  return {
    items,
    cursors: items.length === 0 ? undefined : { before: cursor(start), after: cursor(last) },
    hasPrevious: start > 0,
    hasNext: last + 1 < list.length,
  };
}

function cursor(place: number): string {
  return Buffer.from(String(place)).toString('base64url') + CURSOR_END;
}

function readCursor(text: string): number {
  const place = Number(Buffer.from(text.slice(0, -CURSOR_END.length), 'base64url').toString('latin1'));
  if (!Number.isSafeInteger(place) || place < 0 || cursor(place) !== text) {
    throw new GraphError(100, { message: '(#100) Invalid cursors values' });
  }
  return place;
}
