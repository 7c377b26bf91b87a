/** How many rows are drawn above and below those in view, so that a quick scroll does not show a gap before the next frame. */
const MARGIN_ROWS = 8;

/** The rows of a long list that are drawn. Every row has the same height. */
export function visibleRows(
  count: number,
  view: { scrollTop: number; height: number; rowHeight: number },
): { first: number; end: number } {
  const first = Math.max(0, Math.floor(view.scrollTop / view.rowHeight) - MARGIN_ROWS);
  const end = Math.min(count, Math.ceil((view.scrollTop + view.height) / view.rowHeight) + MARGIN_ROWS);
  return { first: Math.min(first, end), end };
}

/** How many rows were inserted above the one at `kept`; 0 if that row is not in the list any more. */
export function rowsAbove<Row extends { id: string }>(
  before: readonly Row[],
  now: readonly Row[],
  kept: number,
): number {
  const row = before[kept];
  if (row === undefined || now[kept]?.id === row.id) return 0;
  const place = now.findIndex(({ id }) => id === row.id);
  return place < 0 ? 0 : place - kept;
}
