import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sendingChannel } from '../../test/support/sending-channel.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { listed, pageOf } from '../../test/templates/listing-server.ts';
import { type ListingWorld, startListingWorld } from '../../test/templates/listing-world.ts';
import type { SendingChannel } from '../channels/channels.ts';
import { appendEvents } from '../events/store.ts';
import { newId } from '../kernel/ids.ts';
import { syncTemplates } from './sync.ts';

/** Three transactions' worth. */
const TEMPLATES = 500;
/** The events of one transaction: some hundreds, however many there are. */
const AT_ONCE_MAX = 400;
const ENDPOINTS = 3;
const LAST = `many_${TEMPLATES - 1}`;

let world: ListingWorld;
let channel: SendingChannel;
let accountId: string;

before(async () => {
  world = await startListingWorld();
});
after(() => world.close());
beforeEach(async () => {
  const { database } = world.test;
  accountId = newId();
  channel = sendingChannel(accountId);
  await database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Test']);
  await database.query(
    `insert into endpoint (account_id, id, mode, url, secret_sealed)
     select $1, gen_random_uuid(), 'live', 'https://example.com/', '' from generate_series(1, $2::integer)`,
    [accountId, ENDPOINTS],
  );
  await serve('APPROVED').sync();
});

function serve(status: string, templates = TEMPLATES) {
  const { test, server, provider } = world;
  const all = Array.from({ length: templates }, (_, number) => listed(`many_${number}`, { status }));
  server.answer = (query) => pageOf(all, query);
  const suspend = async () => undefined;
  return { sync: () => syncTemplates({ database: test.database, provider, suspend }, channel) };
}

/** Begins a reading, holds it where it comes to the last template, and does something in between. */
async function holdAtLast<T>(reading: () => Promise<T>, meanwhile: () => Promise<void>): Promise<T> {
  const { database } = world.test;
  let begun: Promise<T> | undefined;
  await database.transaction(async (tx) => {
    await tx.query('select 1 from template where account_id = $1 and name = $2 for update', [accountId, LAST]);
    begun = reading();
    // Whoever waits for it gets its failure.
    begun.catch(() => undefined);
    await until(async () => (await countWaitingForLocks(database)) === 1);
    await meanwhile();
  });
  if (begun === undefined) throw new Error('It was not begun');
  return begun;
}

const record = () => {
  const data = { account: {} };
  const draft = { accountId, mode: 'live', type: 'account.updated', data, traceparent: null } as const;
  return world.test.database.transaction((tx) => appendEvents(tx, [draft]));
};
interface Logged {
  sequence: number;
  type: string;
  name: string | null;
  status: string | null;
}
const log = () =>
  world.test.database.query<Logged>(
    `select sequence, type, data->'template'->>'name' as name, data->'template'->>'status' as status
     from event where account_id = $1 order by sequence`,
    [accountId],
  );
const countDeliveries = async () =>
  (await world.test.database.query('select 1 from delivery where account_id = $1', [accountId])).length;
/** Everything is told once, by numbers without a gap, to every endpoint. */
async function assertToldOnce(told: readonly Logged[], status: string): Promise<void> {
  assert.deepEqual(
    told.map(({ sequence }) => sequence),
    told.map((_, place) => place + 1),
  );
  const names = told.filter((event) => event.status === status).map(({ name }) => name);
  assert.deepEqual([names.length, new Set(names).size], [TEMPLATES, TEMPLATES]);
  assert.equal(await countDeliveries(), told.length * ENDPOINTS);
}

describe('a reading that finds very many templates changed', () => {
  it('lets others record their events in between: it keeps some hundred in a transaction', async () => {
    const counts = await holdAtLast(() => serve('PAUSED').sync(), record);
    assert.deepEqual(counts, { added: 0, changed: TEMPLATES, removed: 0, total: TEMPLATES });
    const told = await log();
    const place = told.findIndex(({ type }) => type === 'account.updated');
    assert.ok(place > 0 && place < TEMPLATES, `${place} events came before that of somebody else`);
    assert.ok(TEMPLATES - place <= AT_ONCE_MAX, `${TEMPLATES - place} came after it at once`);
    await assertToldOnce(told, 'paused');
  });

  it('has told what it has kept if its connection breaks midway, and the next one tells the rest, each change once', async () => {
    const broken = holdAtLast(
      () => serve('PAUSED').sync(),
      async () => {
        await world.test.database.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        await until(async () => (await countWaitingForLocks(world.test.database)) === 0);
      },
    );
    await assert.rejects(broken);
    const kept = (await log()).length;
    assert.ok(kept > 0 && kept < TEMPLATES, `${kept} were kept`);
    const counts = await serve('PAUSED').sync();
    assert.deepEqual(counts, { added: 0, changed: TEMPLATES - kept, removed: 0, total: TEMPLATES });
    await assertToldOnce(await log(), 'paused');
    assert.equal((await serve('PAUSED').sync())?.changed, 0, 'nothing is left');
  });

  it('tells of thousands that are gone in the same way', async () => {
    const counts = await holdAtLast(() => serve('APPROVED', 0).sync(), record);
    assert.deepEqual(counts, { added: 0, changed: 0, removed: TEMPLATES, total: 0 });
    const told = await log();
    const place = told.findIndex(({ type }) => type === 'account.updated');
    assert.ok(place > 0 && place < TEMPLATES, `${place} events came before that of somebody else`);
    await assertToldOnce(told, 'deleted');
  });
});
