import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { quickestMs } from '../../test/support/quickest.ts';
import { sendingChannel } from '../../test/support/sending-channel.ts';
import { whileTheyTakeTooLong } from '../../test/support/take-too-long.ts';
import { claimDue } from '../../test/templates/claim-due.ts';
import { type ListingWorld, startListingWorld } from '../../test/templates/listing-world.ts';
import { addLiveChannel } from '../../test/templates/live-channel.ts';
import { createChannels } from '../channels/channels.ts';
import { listUsableChannels, updateChannel } from '../channels/store.ts';
import { systemClock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { createSealer } from '../kernel/sealed.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { createTemplateRegistry } from './registry.ts';
import { syncDueTemplates, templateRounds } from './schedule.ts';
import { makeSyncsDue } from './sync-store.ts';

/** As many as are claimed at once. */
const LIMIT = 5;
const MANY = 3_000;
/** Several times what it takes. It was five seconds. */
const CLAIM_MS_MAX = 1_000;
const AS_IT_IS = { phoneNumber: null, isDefault: null };

let world: ListingWorld;
let test: ListingWorld['test'];
let server: ListingWorld['server'];
let provider: ListingWorld['provider'];
let accountId: string;
before(async () => {
  world = await startListingWorld();
  ({ test, server, provider } = world);
});
after(() => world.close());
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
  (await claimDue(test.database, LIMIT)).map(({ businessAccountId }) => businessAccountId).sort();

describe('claiming business accounts whose templates are due', () => {
  it('passes over those whose channels are removed or suspended, however long ago they were read', async () => {
    for (let number = 0; number < 2 * LIMIT; number++)
      await addBusinessAccount(`gone ${number}`, number % 2 === 0 ? 'removed' : 'suspended', '30 days');
    await addBusinessAccount('used', 'connected', '90 minutes');
    assert.deepEqual(await claim(), ['used']);
  });

  it('looks at those of one account whose channels are suspended one by one, and not at all of its channels for each', async () => {
    await test.database.query(
      `insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed, status)
       select $1, gen_random_uuid(), 'live', gen_random_uuid(), 'many ' || n, '+15550790000', '', 'suspended'
       from generate_series(1, $2::integer) n`,
      [accountId, MANY],
    );
    await test.database.query(
      `insert into template_sync (account_id, mode, business_account_id, synced_at)
       select $1, 'live', 'many ' || n, now() - interval '30 days' from generate_series(1, $2::integer) n`,
      [accountId, MANY],
    );
    let claims = 0;
    const tookMs = await quickestMs(CLAIM_MS_MAX, async () => {
      const used = `used ${++claims}`;
      await addBusinessAccount(used, 'connected', '90 minutes');
      assert.deepEqual(await claim(), [used]);
    });
    assert.ok(tookMs < CLAIM_MS_MAX, `${Math.round(tookMs)} ms`);
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

describe('a round that looks which business accounts there are', () => {
  it('forgets those of which no channel is left once they are due, and has one that is back read at once', async () => {
    await addBusinessAccount('gone', 'removed', '61 minutes');
    await addBusinessAccount('gone lately', 'removed', '59 minutes');
    await addBusinessAccount('suspended', 'suspended', '61 minutes');
    await addBusinessAccount('used', 'connected', '61 minutes');
    const { database } = test;
    const registry = createTemplateRegistry({ database, provider, clock: systemClock, suspend: async () => undefined });
    const { signal: closing } = new AbortController();
    const channels = { listUsable: async () => [], forget: () => undefined };
    const rounds = templateRounds({ database, channels, registry, closing });
    const look = () => rounds.find(({ name }) => name === 'templates_new')?.run();
    const kept = async () =>
      (await database.query<{ name: string }>('select business_account_id as name from template_sync order by 1')).map(
        ({ name }) => name,
      );
    await look();
    assert.deepEqual(await kept(), ['gone lately', 'suspended', 'used']);
    await addLiveChannel(database, { accountId, businessAccountId: 'gone' });
    await database.query(
      "update template_sync set synced_at = now() - interval '61 minutes' where business_account_id = 'gone lately'",
    );
    await whileTheyTakeTooLong(database, ['delete on template_sync for each row'], () =>
      assert.rejects(async () => look(), StoreUnavailable, 'it is held up by one that cannot be forgotten'),
    );
    assert.deepEqual(await claim(), ['gone', 'used']);
  });
});

describe('a round of readings', () => {
  const round = (names: readonly string[], closing = new AbortController().signal) => {
    const suspend = () => Promise.resolve();
    const registry = createTemplateRegistry({ database: test.database, provider, clock: systemClock, suspend });
    const usable = names.map((name) => sendingChannel(accountId, name));
    // Each business account has a channel that the provider refuses, too, and it comes first.
    const suspended = usable.map((channel) => {
      return { ...channel, suspended: true, sender: { ...channel.sender, accessToken: 'refused' } };
    });
    const channels = { listUsable: async () => [...suspended, ...usable], forget: () => undefined };
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
    const tokens = new Set<string | undefined>();
    const paths = new Set<string | undefined>();
    server.answer = (_query, { headers, url }) => {
      tokens.add(headers.authorization);
      paths.add(url?.split('?')[0]);
      return { body: { data: [] } };
    };
    assert.equal(await round([...names, 'lately']), 40);
    assert.equal(server.queries.length, 40);
    assert.equal(paths.size, 40, 'each by a channel of its own');
    assert.deepEqual([...tokens], ['Bearer token'], 'none is asked with that of a suspended channel');
    assert.equal(await round([...names, 'lately']), 0);
  });

  it('reads a business account once, also if the provider tells news of it all the time: they are left to the next one', async () => {
    await addBusinessAccount('busy', 'connected', '61 minutes');
    server.answer = async () => {
      await makeSyncsDue(test.database, [{ accountId, mode: 'live', businessAccountId: 'busy' }]);
      return { body: { data: [] } };
    };
    assert.equal(await round(['busy']), 1);
    assert.equal(await round(['busy']), 1);
    assert.equal(server.queries.length, 2);
  });

  it('reads one whose channel was connected a moment after the node had looked at the account', async () => {
    const { database } = test;
    const sealer = createSealer(Buffer.alloc(32));
    const log = pino({ level: 'silent' });
    const channels = createChannels({ database, sealer, clock: systemClock, log, sandbox: false });
    assert.deepEqual(await channels.listUsable(accountId, 'live'), []);
    await addBusinessAccount('new', 'connected', '61 minutes');
    for (const { id } of await listUsableChannels(database, accountId))
      await updateChannel(database, accountId, id, { ...AS_IT_IS, sealedToken: sealer.seal('token', id) });
    const registry = createTemplateRegistry({ database, provider, clock: systemClock, suspend: channels.suspend });
    assert.equal(await syncDueTemplates({ database, channels, registry, closing: new AbortController().signal }), 1);
    assert.equal(server.queries.length, 1, 'the claim keeps others off for ten minutes');
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
