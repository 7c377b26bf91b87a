import assert from 'node:assert/strict';
import { it } from 'node:test';
import { funnelOf } from './funnel.ts';
import { rateSeries } from './series.ts';

/** One message was accepted and arrived; four were refused at once. */
const totals = { accepted: 1, sent: 1, delivered: 1, read: 0, failed: 4, unknown: 0 };
const rest = { received: 0, to_delivery_ms: null };

it('what was never accepted is no share of the accepted, and no share is above the whole', () => {
  const percents = funnelOf({ ...totals, ...rest }).map(({ label, percent }) => [label, percent]);
  assert.deepEqual(percents, [
    ['Accepted', 100],
    ['Sent', 100],
    ['Delivered', 100],
    ['Read', 0],
    ['Failed', null],
    ['Unknown', null],
  ]);
  const rates = rateSeries([{ at: '2026-01-01T00:00:00.000Z', ...totals, ...rest }]);
  assert.deepEqual(
    rates.map(({ label, values }) => [label, values]),
    [
      ['Delivered', [100]],
      ['Read', [0]],
      ['Failed', [80]],
    ],
  );
});
