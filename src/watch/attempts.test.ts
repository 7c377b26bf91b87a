import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { readScrape } from '../../test/observe/exposition.ts';
import type { AttemptOutcome } from '../endpoints/deliver/attempt.ts';
import { formatId, newId } from '../kernel/ids.ts';
import { createDeliveryMetrics } from '../observe/delivery-metrics.ts';
import { watchAttempts } from './attempts.ts';

const [ACCOUNT, ENDPOINT, EVENT] = [newId(), newId(), newId()];

function watch() {
  const registry = new Registry();
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  const carried = watchAttempts(createDeliveryMetrics(registry), log);
  return {
    /** The last of so many attempts, of an event that was recorded 5 s ago. */
    attempt: (number: number, outcome: Partial<AttemptOutcome>, waitMs: number | null) =>
      carried({ delivery: delivery(number - 1), outcome: { ...SUCCEEDED, ...outcome }, waitMs }),
    lines: () => lines.splice(0).map((line) => JSON.parse(line)),
    scrape: async () => readScrape(await registry.metrics()),
  };
}

const SUCCEEDED: AttemptOutcome = {
  ...{ id: newId(), at: new Date(), outcome: 'succeeded', http_status: 204, error: null, duration_ms: 250 },
  ...{ answer: null, retryAfter: [] },
};

function delivery(attempts: number) {
  return {
    ...{ account_id: ACCOUNT, endpoint_id: ENDPOINT, event_id: EVENT, place: '(0,1)', attempts, mode: 'live' as const },
    ...{ next_at_us: 0, claimed_until_us: 0, endpoint_version: 0, address_version: 0, endpoint_failing: false },
    ...{ url: 'https://example.com/', secret_sealed: Buffer.alloc(0), previous_secret_sealed: null },
    ...{ type: 'message.sent', sequence: 1, data: '{}', traceparent: null, at_ms: Date.now() - 5_000 },
  };
}

it('an attempt that failed is told with its number, its reason and when the next one is, and the last one as such', () => {
  const { attempt, lines } = watch();
  const told = {
    ...{ account_id: ACCOUNT, endpoint_id: formatId('end', ENDPOINT), event_id: formatId('evt', EVENT) },
    ...{ type: 'message.sent', mode: 'live', http_status: 500, error: null, duration_ms: 250 },
  };
  attempt(1, { outcome: 'failed', http_status: 500 }, 5_000.4);
  attempt(10, { outcome: 'failed', http_status: 500 }, null);
  const [failed, givenUp] = lines().map(({ level, time, ...line }) => line);
  assert.deepEqual(failed, { ...told, number: 1, next_in_ms: 5_000, msg: 'delivery.failed' });
  assert.deepEqual(givenUp, { ...told, number: 10, next_in_ms: null, msg: 'delivery.given_up' });
  attempt(1, {}, null);
  assert.deepEqual(lines(), [], 'one that succeeded is no news');
});

it('attempts are counted by the reason of their failure, and measured in seconds', async () => {
  const { attempt, scrape } = watch();
  attempt(1, { outcome: 'failed', http_status: 503 }, 5_000);
  attempt(2, { outcome: 'failed', http_status: null, error: 'timeout' }, null);
  attempt(1, {}, null);
  const { sum } = await scrape();
  const attempts = (labels: Record<string, string>) => sum('waypost_delivery_attempts_total', labels);
  assert.equal(attempts({ mode: 'live', outcome: 'failed', reason: 'http_5xx' }), 1);
  assert.equal(attempts({ mode: 'live', outcome: 'failed', reason: 'timeout' }), 1);
  assert.equal(attempts({ mode: 'live', outcome: 'succeeded', reason: 'none' }), 1);
  assert.equal(sum('waypost_delivery_attempt_seconds_sum'), 0.75);
  const arrival = sum('waypost_delivery_seconds_sum');
  assert.ok(arrival >= 5 && arrival < 65, `${arrival} s`);
});
