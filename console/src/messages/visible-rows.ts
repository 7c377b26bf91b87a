/** Rows above and below what is seen, so that a quick scroll does not show a gap before the next frame. */
const MARGIN_ROWS = 8;

/** Which rows of a long list are drawn, when each has the same height. */
export function visibleRows(
  count: number,
  view: { scrollTop: number; height: number; rowHeight: number },
): { first: number; end: number } {
  const first = Math.max(0, Math.floor(view.scrollTop / view.rowHeight) - MARGIN_ROWS);
  const end = Math.min(count, Math.ceil((view.scrollTop + view.height) / view.rowHeight) + MARGIN_ROWS);
  return { first: Math.min(first, end), end };
}

/** How many rows were put in above the one at `kept`; 0 if that is not there any more. */
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
