import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keepLimits, keepLimitsByTwoClocks } from './keep.ts';

const DAYS = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
const NOW_MS = Date.UTC(2026, 4, 4);
const A_YEAR_MS = 365 * 86_400_000;

it('nothing is past its time for the deletion unless both clocks say so, ours and that of the database', () => {
  const limits = keepLimits(DAYS, NOW_MS);
  const ahead = NOW_MS + A_YEAR_MS;
  assert.deepEqual(keepLimitsByTwoClocks(DAYS, { nowMs: () => NOW_MS }, ahead), limits);
  assert.deepEqual(keepLimitsByTwoClocks(DAYS, { nowMs: () => ahead }, NOW_MS), limits);
});
