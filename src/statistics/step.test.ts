import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../kernel/errors.ts';
import { chooseRange, STEP_MS } from './step.ts';

const NOW_MS = Date.UTC(2026, 2, 1);
const { minute, hour, day } = STEP_MS;

describe('a range of statistics', () => {
  it('has minutes up to three hours, hours up to two weeks, and days beyond, unless it says something else', () => {
    const stepOf = (lengthMs: number) => chooseRange({ sinceMs: NOW_MS - lengthMs }, NOW_MS).step;
    assert.deepEqual([1, 3 * hour, 3 * hour + 1].map(stepOf), ['minute', 'minute', 'hour']);
    assert.deepEqual([14 * day, 14 * day + 1].map(stepOf), ['hour', 'day']);
    assert.equal(chooseRange({ step: 'day' }, NOW_MS).step, 'day');
  });

  it('is widened to whole buckets, and by none where it has these already', () => {
    const widened = (sinceMs: number, untilMs: number) => {
      const range = chooseRange({ sinceMs, untilMs, step: 'hour' }, NOW_MS);
      return [range.sinceMs - NOW_MS, range.untilMs - NOW_MS];
    };
    assert.deepEqual(widened(NOW_MS, NOW_MS + hour), [0, hour]);
    assert.deepEqual(widened(NOW_MS - 1, NOW_MS + hour + 1), [-hour, 2 * hour]);
    assert.deepEqual(widened(NOW_MS + 1, NOW_MS + 2), [0, hour]);
  });

  it('has 750 buckets at most, and one at least', () => {
    const minutes = (count: number) => () =>
      chooseRange({ sinceMs: NOW_MS - count * minute, untilMs: NOW_MS, step: 'minute' }, NOW_MS);
    const isRefused = (error: unknown) => error instanceof ApiError && error.code === 'invalid_request';
    assert.equal(minutes(750)().sinceMs, NOW_MS - 750 * minute);
    assert.throws(minutes(751), isRefused);
    assert.throws(minutes(0), isRefused);
  });
});
