import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { startTestGateway } from '../../test/support/gateway.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { newId } from '../kernel/ids.ts';
import { createSealer } from '../kernel/sealed.ts';
import { bearTestChannel } from './connect.ts';
import { listUsableChannels } from './store.ts';
import { suspendChannel } from './suspend.ts';

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

it('a channel is suspended although a notification has the event counter and wants the channel', async () => {
  const { database } = test;
  const accountId = newId();
  await database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Test']);
  await database.query(`insert into event_sequence (account_id, mode, last) values ($1, 'test', 0)`, [accountId]);
  await bearTestChannel(database, createSealer(Buffer.alloc(32)), accountId);
  const [channel] = await listUsableChannels(database, accountId);
  assert.ok(channel !== undefined);
  let suspending: Promise<void> | undefined;
  await database.transaction(async (tx) => {
    // Of two that wait for one another the one that looks first is rolled back: that is to be the other one.
    await tx.query("set local deadlock_timeout to '20s'");
    await tx.query('select last from event_sequence where account_id = $1 for update', [accountId]);
    const refused = { accountId, id: channel.id, sealedToken: channel.access_token_sealed };
    suspending = suspendChannel(database, pino({ level: 'silent' }), refused);
    await until(async () => (await countWaitingForLocks(database)) === 1);
    await tx.query('update channel set messaging_limit = $2 where account_id = $1', [accountId, 'tier_1k']);
  });
  await suspending;
  assert.equal((await listUsableChannels(database, accountId))[0]?.status, 'suspended');
  const events = await database.query('select type from event where account_id = $1', [accountId]);
  assert.deepEqual(events, [{ type: 'channel.updated' }]);
});

it('a channel whose token is refused for several messages at once is told of in the log once', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const gateway = await startTestGateway({ log });
  t.after(() => gateway.stop());
  const body = { to: ['+15550000000', '+15550000190'], type: 'text', text: { body: 'Hello' } };
  const { json } = await gateway.call('POST', '/api/v1/messages/send', { body });
  assert.equal(json.failed_count, 2);
  const [channel] = (await gateway.call('GET', '/api/v1/channels')).json.data;
  assert.equal(channel.status, 'suspended');
  const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'channel.suspended');
  assert.deepEqual(
    told.map(({ channel_id: id }) => id),
    [channel.id],
  );
});
