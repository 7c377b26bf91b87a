import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fullTime, shortTime, spanOf } from './times.ts';

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
  assert.doesNotMatch(shortTime('2026-11-27T11:00:00.000Z', false, now), /20\d\d/);
  assert.doesNotMatch(shortTime('2027-01-05T11:00:00.000Z', false, now), /20\d\d/);
  assert.match(shortTime('2027-11-20T11:00:00.000Z', false, now), /2027/);
  assert.match(shortTime('2025-11-28T11:00:00.000Z', false, now), /2025/);
});

it('a time in UTC says so, and is that of a log to the millisecond where there is room', () => {
  const at = '2026-11-27T23:59:59.123Z';
  assert.equal(fullTime(at, true), '2026-11-27 23:59:59.123 UTC');
  assert.match(shortTime(at, true, Date.parse(at)), /27.*23:59:59 UTC$/);
  assert.match(shortTime(at, true, 0), /2026.*23:59:59 UTC$/);
});
