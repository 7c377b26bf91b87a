import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rowsAbove, visibleRows } from './visible-rows.ts';

it('only the rows around the view are drawn, however long the list is', () => {
  const view = { scrollTop: 44_000, height: 440, rowHeight: 44 };
  assert.deepEqual(visibleRows(10_000, view), { first: 992, end: 1_018 });
  assert.deepEqual(visibleRows(5, { ...view, scrollTop: 0 }), { first: 0, end: 5 });
  // After a filter the list is shorter than the place to which it was scrolled.
  assert.deepEqual(visibleRows(3, view), { first: 3, end: 3 });
});

it('rows that come in above the one that is read first are counted, those below are not', () => {
  const rows = (...ids: number[]) => ids.map((id) => ({ id: String(id) }));
  assert.equal(rowsAbove(rows(5, 4, 3, 2), rows(7, 6, 5, 4, 3, 2), 2), 2);
  assert.equal(rowsAbove(rows(5, 4, 3), rows(5, 4, 3, 2), 1), 0);
  assert.equal(rowsAbove(rows(5, 4, 3), rows(5, 3), 1), 0);
});
