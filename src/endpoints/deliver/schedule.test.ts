import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { waitAfterMs } from './schedule.ts';

const NOW_MS = Date.parse('2026-05-04T03:02:01Z');
const DAY_MS = 86_400_000;
const wait = (number: number, retryAfter: string | readonly string[] = [], random = 0) =>
  waitAfterMs(number, [retryAfter].flat(), NOW_MS, () => random);

describe('the schedule of tries', () => {
  it('is what docs/receiving-events.md says: ten tries, then the event is given up', () => {
    const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440];
    assert.deepEqual(
      minutes.map((_, place) => wait(place + 1)),
      minutes.map((minute) => Math.round(minute * 60_000)),
    );
    assert.equal(wait(10), null);
    assert.equal(wait(10, '60'), null);
  });

  it('adds up to a tenth, so that what failed together does not come back together', () => {
    assert.equal(wait(2, [], 0.5), 315_000);
    assert.ok((wait(9, [], 0.999) ?? 0) <= 1.1 * DAY_MS);
  });

  it('waits as long as a Retry-After in seconds asks for, up to 24 hours, and never shorter than planned', () => {
    assert.equal(wait(1, '90'), 90_000);
    assert.equal(wait(1, ' 90 '), 90_000);
    assert.equal(wait(1, '0'), 5_000);
    assert.equal(wait(2, '10'), 300_000);
    assert.equal(wait(1, '315360000'), DAY_MS);
    assert.equal(wait(1, '999999999999999'), DAY_MS);
    assert.equal(wait(1, '9'.repeat(30)), DAY_MS);
  });

  it('waits for the longest of several Retry-After, and passes over those that it cannot read', () => {
    assert.equal(wait(1, ['90', 'soon', '120', '60']), 120_000);
    assert.equal(wait(1, ['90', 'Mon, 04 May 2026 03:05:01 GMT']), 180_000);
    assert.equal(wait(1, ['soon', '-5']), 5_000);
  });

  it('reads a Retry-After that is a date, also one in the past or in years', () => {
    assert.equal(wait(1, 'Mon, 04 May 2026 03:03:01 GMT'), 60_000);
    assert.equal(wait(1, 'Mon, 04 May 2020 03:03:01 GMT'), 5_000);
    assert.equal(wait(1, 'Fri, 04 May 2046 03:03:01 GMT'), DAY_MS);
  });

  it('reads a date in the two old forms too, as every recipient must, and always as UTC', () => {
    assert.equal(wait(1, 'Monday, 04-May-26 03:03:01 GMT'), 60_000);
    assert.equal(wait(1, 'Friday, 04-May-46 03:03:01 GMT'), DAY_MS);
    assert.equal(wait(1, 'Wednesday, 04-May-94 03:03:01 GMT'), 5_000);
    assert.equal(wait(1, 'Mon May  4 03:03:01 2026'), 60_000);
    assert.equal(wait(1, 'Fri May 15 03:03:01 2026'), DAY_MS);
    assert.equal(wait(1, 'Mon May  4 03:03:01 2020'), 5_000);
  });

  it('ignores a Retry-After that is neither', () => {
    const strange = [
      '2027-01-01',
      'Mon, 99 Xyz 2026 99:99:99 GMT',
      'Mon May 99 03:03:01 2027',
      'Mon, 04 May 2026 03:03:01 +0200',
    ];
    for (const text of ['', 'soon', '-5', '1.5', '1e3', ...strange]) assert.equal(wait(1, text), 5_000, text);
    fc.assert(
      fc.property(fc.string(), (text) => {
        const waited = wait(1, text) ?? 0;
        assert.ok(waited >= 5_000 && waited <= DAY_MS);
      }),
    );
  });
});
