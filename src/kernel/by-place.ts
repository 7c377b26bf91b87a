/**
 * The rows that were found for several things asked for at once, in the order of these; undefined: nothing was found for one. `place` says
 * which one a row is for, counted from 1 as PostgreSQL's `with ordinality` does.
 */
export function byPlace<Row extends { place: number }>(rows: readonly Row[], count: number): (Row | undefined)[] {
  const found = Array.from<Row | undefined>({ length: count });
  for (const row of rows) found[row.place - 1] = row;
  return found;
}
