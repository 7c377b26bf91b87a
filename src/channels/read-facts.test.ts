import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { type ListingServer, startListingServer } from '../../test/templates/listing-server.ts';
import { newId } from '../kernel/ids.ts';
import { createSealer } from '../kernel/sealed.ts';
import { createWhatsAppProvider } from '../provider/whatsapp/client/client.ts';
import type { Database } from '../store/database.ts';
import { askFactsAgain, claimForFacts, noteMessagingLimit } from './facts-store.ts';
import { readDueFacts } from './read-facts.ts';
import { insertChannel, listUsableChannels, removeChannels } from './store.ts';

const HOUR_SECONDS = 3_600;
const sealer = createSealer(Buffer.alloc(32));
const log = pino({ level: 'silent' });

let test: TestDatabase;
let server: ListingServer;
let provider: ReturnType<typeof createWhatsAppProvider>;
let accountId: string;
let answer: () => Promise<object | undefined>;

before(async () => {
  test = await createTestDatabase();
  server = await startListingServer();
  server.answer = async () => {
    const facts = await answer();
    if (facts === undefined) return { status: 503, body: {} };
    return { status: 'error' in facts ? 400 : 200, body: facts };
  };
  const live = { url: server.url, version: 'v25.0' };
  provider = createWhatsAppProvider({ live, timeoutMs: 5_000, connections: 4 });
});
after(async () => {
  await provider.close();
  await server.close();
  await test.drop();
});
beforeEach(async () => {
  await test.database.query("update channel set status = 'removed'");
  server.queries.length = 0;
  lookedAt = [];
  accountId = newId();
  await test.database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Test']);
  const id = newId();
  const names = { name: null, quality: null, throughput_per_second: null, messaging_limit: null, is_default: false };
  const ids = { phone_number_id: '1001', business_account_id: '2', phone_number: '+15550790000' };
  const row = { account_id: accountId, id, mode: 'live' as const, access_token_sealed: sealer.seal('token', id) };
  await insertChannel(test.database, { ...row, ...ids, ...names });
  await pass('2 hours');
});

const away = async () => undefined;
const told = async () => ({ id: '1001', verified_name: 'Line', quality_rating: 'GREEN' });
let lookedAt: string[];
const keepSubscribed = async ({ business_account_id }: { business_account_id: string }) => {
  lookedAt.push(business_account_id);
};
const depsOf = (database: Database, sandbox = true) => ({
  ...{ database, provider, sealer, log, sandbox, keepSubscribed },
});
const read = () => readDueFacts(depsOf(test.database));
const pass = (time: string) =>
  test.database.query('update channel set facts_read_at = facts_read_at - $2::interval where account_id = $1', [
    accountId,
    time,
  ]);
const quality = async () => (await listUsableChannels(test.database, accountId))[0]?.quality;

describe('the facts of a number', () => {
  it('that could not be asked is asked again a minute later, until it has answered', async () => {
    answer = away;
    for (const times of [1, 2, 3]) {
      assert.equal(await read(), 1);
      assert.equal(server.queries.length, times);
      assert.equal(await read(), 0, 'the provider counts what it does not answer, too');
      await pass('61 seconds');
    }
    answer = told;
    assert.equal(await read(), 1);
    assert.equal(await quality(), 'green');
    await pass('59 minutes');
    assert.equal(await read(), 0);
    await pass('2 minutes');
    assert.equal(await read(), 1, 'after an hour');
  });

  it('that the provider refuses to tell is asked again after an hour, and suspended where it refuses the token', async () => {
    const statuses = () => test.database.query('select status from channel where account_id = $1', [accountId]);
    answer = async () => ({ error: { code: 100, message: 'Unsupported get request' } });
    assert.equal(await read(), 1);
    await pass('59 minutes');
    assert.equal(await read(), 0);
    assert.deepEqual(await statuses(), [{ status: 'connected' }]);
    answer = async () => ({ error: { code: 190, message: 'Invalid OAuth access token' } });
    await pass('2 minutes');
    assert.equal(await read(), 1);
    assert.deepEqual(await statuses(), [{ status: 'suspended' }]);
    await pass('2 hours');
    assert.equal(await read(), 0, 'until it has another token');
  });

  it('are not asked of a number that is removed in that moment, and its end keeps no other from being asked', async () => {
    answer = told;
    const { database } = test;
    const removing: Database = {
      ...database,
      async query<Row>(...statement: Parameters<Database['query']>) {
        const rows = await database.query<Row>(...statement);
        await removeChannels(database, accountId, null);
        return rows;
      },
    };
    assert.equal(await readDueFacts(depsOf(removing)), 1);
    assert.equal(server.queries.length, 0);
  });

  it('that the provider answers for are followed by a look after the business account, though the number is gone', async () => {
    answer = away;
    await read();
    assert.deepEqual(lookedAt, [], 'it would not answer that either');
    await pass('61 seconds');
    answer = told;
    await read();
    assert.deepEqual(lookedAt, ['2']);
    await pass('2 hours');
    answer = async () => ({ error: { code: 100, message: 'Unsupported get request' } });
    await read();
    assert.deepEqual(lookedAt, ['2', '2']);
    await pass('2 hours');
    answer = async () => ({ error: { code: 190, message: 'Invalid OAuth access token' } });
    await read();
    assert.deepEqual(lookedAt, ['2', '2'], 'the token is of no use for that either');
  });

  it('of a test channel are followed by none', async () => {
    await test.database.query("update channel set mode = 'test', facts_read_at = null where account_id = $1", [
      accountId,
    ]);
    const sandbox = { url: server.url, version: 'v25.0' };
    const both = createWhatsAppProvider({ live: sandbox, sandbox, timeoutMs: 5_000, connections: 4 });
    answer = told;
    assert.equal(await readDueFacts({ ...depsOf(test.database), provider: both }), 1);
    await both.close();
    assert.equal(server.queries.length, 1);
    assert.deepEqual(lookedAt, []);
  });

  it('are not asked in test mode where there is no sandbox', async () => {
    await test.database.query("update channel set mode = 'test', facts_read_at = null where account_id = $1", [
      accountId,
    ]);
    assert.equal(await readDueFacts(depsOf(test.database, false)), 1);
    assert.equal(server.queries.length, 0);
  });

  it('with a character that no database stores are kept with another one in its place', async () => {
    answer = async () => ({ id: '1001', verified_name: 'Li\u0000ne \ud83d', quality_rating: 'GREEN\u0000' });
    assert.equal(await read(), 1);
    assert.equal(await quality(), 'green\ufffd');
    const [channel] = await listUsableChannels(test.database, accountId);
    assert.equal(channel?.name, 'Li\ufffdne \ufffd');
  });

  it('are read by another node where the one that has claimed them died', async () => {
    assert.equal((await claimForFacts(test.database, HOUR_SECONDS, 20)).length, 1);
    answer = told;
    assert.equal(await read(), 0);
    await pass('61 seconds');
    assert.equal(await read(), 1);
  });

  it('are read at once again if a notification came while the provider was asked', async () => {
    answer = async () => {
      const [channel] = await listUsableChannels(test.database, accountId);
      assert.ok(channel !== undefined);
      await askFactsAgain(test.database, [channel]);
      return told();
    };
    assert.equal(await read(), 1);
    answer = told;
    assert.equal(await read(), 1);
    assert.equal(await read(), 0);
  });

  it('that the provider told before a notification and a later reading of another node are not kept', async () => {
    const limits = async () => {
      const [channel] = await listUsableChannels(test.database, accountId);
      return [channel?.messaging_limit, channel?.throughput_per_second];
    };
    const facts = (level: string, limit: string) => ({
      ...{ id: '1001', verified_name: 'Line', throughput: { level } },
      whatsapp_business_manager_messaging_limit: limit,
    });
    answer = async () => {
      const channels = await listUsableChannels(test.database, accountId);
      await askFactsAgain(test.database, channels);
      await noteMessagingLimit(test.database, channels, 'tier_10k');
      return facts('STANDARD', 'TIER_1K');
    };
    assert.equal(await read(), 1);
    assert.deepEqual(await limits(), ['tier_10k', null], 'the notification is newer');
    const slow = answer;
    answer = async () => {
      const before = await slow();
      answer = async () => facts('HIGH', 'TIER_100K');
      assert.equal(await read(), 1, 'another node, of which the provider is asked later and answers sooner');
      return before;
    };
    assert.equal(await read(), 1);
    assert.deepEqual(await limits(), ['tier_100k', 1_000], 'the later reading is newer');
    assert.equal(await read(), 0);
  });

  it('are kept although a notification has the event counter and wants the channel', async () => {
    const { database } = test;
    await database.query("insert into event_sequence (account_id, mode, last) values ($1, 'live', 0)", [accountId]);
    answer = told;
    let reading: Promise<number> | undefined;
    await database.transaction(async (tx) => {
      // Of two that wait for one another the one that looks first is rolled back: that is to be the other one.
      await tx.query("set local deadlock_timeout to '20s'");
      await tx.query('select last from event_sequence where account_id = $1 for update', [accountId]);
      reading = read();
      await until(async () => (await countWaitingForLocks(database)) === 1);
      await tx.query("update channel set messaging_limit = 'tier_1k' where account_id = $1", [accountId]);
    });
    assert.equal(await reading, 1);
    assert.equal(await quality(), 'green');
    const events = await database.query('select type from event where account_id = $1', [accountId]);
    assert.deepEqual(events, [{ type: 'channel.updated' }]);
  });
});
