import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { type ListingServer, startListingServer } from '../../test/templates/listing-server.ts';
import { addLiveChannel } from '../../test/templates/live-channel.ts';
import type { SendingChannel } from '../channels/channels.ts';
import { systemClock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { createWhatsAppProvider } from '../provider/whatsapp/client/client.ts';
import { createTemplateRegistry } from './registry.ts';
import { syncDueTemplates } from './schedule.ts';
import { claimDueSyncs, makeSyncDue, readDatabaseTime } from './store.ts';

/** As many as a round claims. */
const LIMIT = 5;

let test: TestDatabase;
let server: ListingServer;
let provider: ReturnType<typeof createWhatsAppProvider>;
let accountId: string;
before(async () => {
  test = await createTestDatabase();
  server = await startListingServer();
  provider = createWhatsAppProvider({ live: { url: server.url, version: 'v25.0' }, timeoutMs: 20_000, connections: 4 });
});
after(async () => {
  await provider.close();
  await server.close();
  await test.drop();
});
beforeEach(async () => {
  await test.database.query('delete from template_sync');
  await test.database.query("update channel set status = 'removed'");
  accountId = newId();
  await test.database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Test']);
});

async function addBusinessAccount(name: string, channel: 'connected' | 'suspended' | 'removed', readAgo: string) {
  await addLiveChannel(test.database, { accountId, businessAccountId: name }, channel);
  await test.database.query(
    `insert into template_sync (account_id, mode, business_account_id, synced_at) values ($1, 'live', $2, now() - $3::interval)`,
    [accountId, name, readAgo],
  );
}
const claim = async () =>
  (await claimDueSyncs(test.database, await readDatabaseTime(test.database), LIMIT))
    .map(({ businessAccountId }) => businessAccountId)
    .sort();

describe('claiming business accounts whose templates are due', () => {
  it('passes over those whose channels are removed or suspended, however long ago they were read', async () => {
    for (let number = 0; number < 2 * LIMIT; number++)
      await addBusinessAccount(`gone ${number}`, number % 2 === 0 ? 'removed' : 'suspended', '30 days');
    await addBusinessAccount('used', 'connected', '90 minutes');
    assert.deepEqual(await claim(), ['used']);
  });

  it('comes back to those that could not be read only after all others', async () => {
    for (let number = 0; number < LIMIT; number++) await addBusinessAccount(`away ${number}`, 'connected', '30 days');
    await addBusinessAccount('used', 'connected', '90 minutes');
    assert.equal((await claim()).length, LIMIT, 'the provider tells nothing of them');
    await test.database.query("update template_sync set started_at = started_at - interval '11 minutes'");
    const next = await claim();
    assert.deepEqual([next.includes('used'), next.length], [true, LIMIT]);
  });
});

describe('a round of readings', () => {
  /** Each business account has a channel of the account, as the schedule finds it. */
  const usableOf = (names: readonly string[]): SendingChannel[] =>
    names.map((businessAccountId) => ({
      ...{ id: newId(), accountId, phoneNumber: '+447700900000', businessAccountId, suspended: false },
      ...{ throughputPerSecond: 80, sealedToken: Buffer.alloc(0) },
      sender: { accountId, mode: 'live', phoneNumberId: '1', accessToken: 'token' },
    }));
  const round = (names: readonly string[], closing = new AbortController().signal) => {
    const suspend = () => Promise.resolve();
    const registry = createTemplateRegistry({ database: test.database, provider, clock: systemClock, suspend });
    const channels = { listUsable: async () => usableOf(names) };
    return syncDueTemplates({ database: test.database, channels, registry, closing });
  };
  beforeEach(() => {
    server.queries.length = 0;
    server.answer = () => ({ body: { data: [] } });
  });

  it('reads all that are due, however many, and nothing more', async () => {
    const names = Array.from({ length: 40 }, (_, number) => `due ${number}`);
    for (const name of names) await addBusinessAccount(name, 'connected', '61 minutes');
    await addBusinessAccount('lately', 'connected', '59 minutes');
    assert.equal(await round([...names, 'lately']), 40);
    assert.equal(server.queries.length, 40);
    assert.equal(await round([...names, 'lately']), 0);
  });

  it('reads a business account once, also if the provider tells news of it all the time: they are left to the next one', async () => {
    await addBusinessAccount('busy', 'connected', '61 minutes');
    server.answer = async () => {
      await makeSyncDue(test.database, { accountId, mode: 'live', businessAccountId: 'busy' });
      return { body: { data: [] } };
    };
    assert.equal(await round(['busy']), 1);
    assert.equal(await round(['busy']), 1);
    assert.equal(server.queries.length, 2);
  });

  it('begins no reading once the process stops', async () => {
    const stopping = new AbortController();
    for (const name of ['one', 'two', 'three']) await addBusinessAccount(name, 'connected', '61 minutes');
    server.answer = () => {
      stopping.abort();
      return { body: { data: [] } };
    };
    assert.equal(await round(['one', 'two', 'three'], stopping.signal), 1);
  });
});
