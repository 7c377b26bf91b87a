import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { readScrape } from '../../test/observe/exposition.ts';
import { firstIdOfMs } from '../kernel/ids.ts';
import type { NotificationResult } from '../notifications/store.ts';
import { createCallbackMetrics } from '../observe/callback-metrics.ts';
import { watchBatches } from './batches.ts';

/** Of a notification that came 5 s ago. */
const resultOf = (state: NotificationResult['state'], error: string | null): NotificationResult => ({
  ...{ id: firstIdOfMs(Date.now() - 5_000), kinds: [], itemsLeft: [], retryInSeconds: 0 },
  ...{ state, error },
});

it('a batch that leaves something is news, and one that is applied whole is not', () => {
  const lines: string[] = [];
  const log = pino({ base: null, level: 'debug' }, { write: (line) => void lines.push(line) });
  const watch = watchBatches(createCallbackMetrics(new Registry()), log);
  const applied = [resultOf('applied', null), resultOf('applied', null)];
  watch({ results: applied, itemKinds: ['status', 'status', 'inbound'], unread: [] }, 12.6);
  watch({ results: [...applied, resultOf('set_aside', 'no_channel')], itemKinds: ['status'], unread: [] }, 3);
  const [whole, rest, ...more] = lines.map((line) => JSON.parse(line)).map(({ time, ...line }) => line);
  const msg = 'notifications.applied';
  assert.deepEqual(whole, {
    ...{ level: 20, msg, notifications: 2, items: 3, applied: 2, kinds: { status: 2, inbound: 1 }, duration_ms: 13 },
  });
  assert.deepEqual(rest, {
    ...{ level: 30, msg, notifications: 3, items: 1, applied: 2, set_aside: 1, kinds: { status: 1 }, duration_ms: 3 },
  });
  assert.deepEqual(more, []);
});

it('notifications are counted by what became of them and why, and those that were applied are measured in seconds', async () => {
  const registry = new Registry();
  const watch = watchBatches(createCallbackMetrics(registry), pino({ level: 'silent' }));
  const results = [resultOf('applied', null), resultOf('set_aside', 'no_channel'), resultOf('waiting', 'locked')];
  watch({ results, itemKinds: [], unread: [] }, 1);
  const { sum } = readScrape(await registry.metrics());
  const processed = (state: string, reason: string) => sum('waypost_notifications_processed_total', { state, reason });
  assert.deepEqual(
    [processed('applied', 'none'), processed('set_aside', 'no_channel'), processed('waiting', 'locked')],
    [1, 1, 1],
  );
  assert.equal(sum('waypost_notification_apply_seconds_count'), 1);
  const seconds = sum('waypost_notification_apply_seconds_sum');
  assert.ok(seconds >= 5 && seconds < 65, `${seconds} s`);
});
