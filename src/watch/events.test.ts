import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { appendEvents } from '../events/store.ts';
import { newId } from '../kernel/ids.ts';
import { createCallbackMetrics } from '../observe/callback-metrics.ts';
import type { Database } from '../store/database.ts';
import { watchEvents } from './events.ts';

const registry = new Registry();
let test: TestDatabase;
let database: Database;
before(async () => {
  test = await createTestDatabase();
  database = watchEvents(test.database, createCallbackMetrics(registry), undefined);
});
after(() => test.drop());

const record = (type: 'message.sent' | 'message.read') => (tx: Parameters<typeof appendEvents>[0]) =>
  appendEvents(tx, [{ accountId: newId(), mode: 'live', type, data: {}, traceparent: null }]);

describe('the watch over events', () => {
  it('counts them when their transaction is committed, and not when it is rolled back', async () => {
    await database.transaction(record('message.sent'));
    const refused = database.transaction(async (tx) => {
      await record('message.read')(tx);
      throw new Error('refused');
    });
    await assert.rejects(refused, /refused/);
    const text = await registry.metrics();
    assert.match(text, /^waypost_events_recorded_total\{mode="live",type="message\.sent"\} 1$/m);
    assert.doesNotMatch(text, /message\.read/);
  });

  it('leaves a transaction the time that it was given', async () => {
    const shown = await database.transaction((tx) => tx.query('show statement_timeout'), { statementTimeoutMs: 1_234 });
    assert.deepEqual(shown, [{ statement_timeout: '1234ms' }]);
  });

  it('counts a message that failed later by its error code', async () => {
    const data = { message: { error: { code: 'sender_billing' } } };
    const failed = { accountId: newId(), mode: 'live' as const, type: 'message.failed' as const, traceparent: null };
    await database.transaction((tx) => appendEvents(tx, [{ ...failed, data }]));
    const text = await registry.metrics();
    assert.match(text, /^waypost_messages_failed_later_total\{mode="live",code="sender_billing"\} 1$/m);
  });
});
