import assert from 'node:assert/strict';
import { it } from 'node:test';
import { shortTime, spanOf } from './times.ts';

it('a span is told in whole parts of the next larger unit, and never in sixty of the smaller one', () => {
  const spans: [number, string][] = [
    [0, '0 ms'],
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [1_500, '1.5 s'],
    [9_960, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min 0 s'],
    [119_600, '2 min 0 s'],
    [3_599_700, '1 h 0 min'],
    [7_199_000, '2 h 0 min'],
    [86_399_000, '1.0 days'],
    [129_600_000, '1.5 days'],
  ];
  assert.deepEqual(
    spans.map(([ms]) => spanOf(ms)),
    spans.map(([, told]) => told),
  );
});

it('a time in a list is told with its year where it may be taken for one of another year', () => {
  const now = Date.parse('2026-11-27T12:00:00.000Z');
  assert.doesNotMatch(shortTime('2026-11-27T11:00:00.000Z', now), /20\d\d/);
  assert.doesNotMatch(shortTime('2027-01-05T11:00:00.000Z', now), /20\d\d/);
  assert.match(shortTime('2027-11-20T11:00:00.000Z', now), /2027/);
  assert.match(shortTime('2025-11-28T11:00:00.000Z', now), /2025/);
});
