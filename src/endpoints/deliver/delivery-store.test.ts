import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createTestDatabase } from '../../../test/support/database.ts';
import type { EventType } from '../../events/event.ts';
import { appendEvents } from '../../events/store.ts';
import { newId } from '../../kernel/ids.ts';
import type { Mode } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import { composeStatement } from '../../store/statement-part.ts';
import { insertEndpoint } from '../store.ts';
import { type ClaimedDelivery, type ClaimLimits, claimDeliveries } from './claim-store.ts';
import {
  hastenDeliveries,
  type Placed,
  releaseDeliveries,
  removalPart,
  removeDeliveries,
  settleDeliveries,
} from './delivery-store.ts';
import { type ReplayWish, replayEvents } from './replay-store.ts';

const { database, drop } = await createTestDatabase();
after(drop);
/** A claim that takes nothing; what it shall take, each test adds. */
const NOTHING: ClaimLimits = {
  rooms: [],
  roomOfOthers: 0,
  roomOfFailing: 0,
  deliveriesMax: 1_000,
  claimSeconds: 45,
  nodeId: newId(),
  after: null,
};

it('an event waits for the endpoints of its own account and mode that are on and want its type, and for no others', async () => {
  const [{ accountId, endpointId }, other] = [await addEndpoint(), await addEndpoint()];
  const [live, off, choosy] = [newId(), newId(), newId()];
  const row = { account_id: accountId, url: 'http://127.0.0.1:9/', description: null, secret_sealed: Buffer.alloc(1) };
  await insertEndpoint(database, { ...row, id: live, mode: 'live', types: null });
  await insertEndpoint(database, { ...row, id: off, mode: 'test', types: null });
  await database.query('update endpoint set enabled = false where id = $1', [off]);
  await insertEndpoint(database, { ...row, id: choosy, mode: 'test', types: ['message.read'] });
  const waitsFor = async () => {
    const all = [endpointId, other.endpointId, live, off, choosy];
    const rows = await database.query<{ id: string }>(
      'select endpoint_id as id from delivery where endpoint_id = any($1) order by event_id, endpoint_id',
      [all],
    );
    return rows.map(({ id }) => id);
  };
  await record(accountId, ['message.sent']);
  assert.deepEqual(await waitsFor(), [endpointId]);
  await record(accountId, ['message.read']);
  assert.deepEqual(await waitsFor(), [endpointId, endpointId, choosy]);
});

describe('a claim', () => {
  it('takes what is due of each endpoint, the oldest first, as far as there is room', async () => {
    const { accountId, endpointId } = await addEndpoint();
    await record(accountId, ['message.sent', 'message.sent', 'message.sent', 'message.sent']);
    const due = (sequence: number, seconds: number) =>
      database.query(
        `update delivery set next_at = now() + make_interval(secs => $3)
         where endpoint_id = $1 and event_id = (select id from event where account_id = $2 and sequence = $4)`,
        [endpointId, accountId, seconds, sequence],
      );
    await due(1, -10);
    await due(2, 60);
    await due(3, -30);
    await due(4, -20);
    assert.deepEqual(sequences(await claim(endpointId, 2)), [3, 4]);
    assert.deepEqual(sequences(await claim(endpointId, 2)), [1], 'what is claimed is not claimed again');
    await database.query('update delivery set claimed_until = now() where endpoint_id = $1', [endpointId]);
    assert.deepEqual(sequences(await claim(endpointId, 3)), [3, 4, 1], 'unless the claim is over');
  });

  it('takes what was claimed while the clock of the database was ahead', async () => {
    const { accountId, endpointId } = await addEndpoint();
    await record(accountId, ['message.sent']);
    const held = (until: string) =>
      database.query('update delivery set claimed_until = now() + $2::interval where endpoint_id = $1', [
        endpointId,
        until,
      ]);
    await held('1 day 45 seconds');
    assert.deepEqual(sequences(await claim(endpointId, 1)), [1]);
    await held('45 seconds');
    assert.deepEqual(await claim(endpointId, 1), []);
  });

  it('leaves what waits for an endpoint that is turned off', async () => {
    const { accountId, endpointId } = await addEndpoint();
    await record(accountId, ['message.sent']);
    await database.query('update endpoint set enabled = false where id = $1', [endpointId]);
    assert.deepEqual(await claim(endpointId, 1), []);
  });

  it('takes of an endpoint that is failing what those may have, unless it is named, and says so', async () => {
    const { accountId, endpointId } = await addEndpoint();
    await record(accountId, ['message.sent', 'message.sent', 'message.sent']);
    const take = async (roomOfOthers: number, roomOfFailing: number) => {
      const limits = { ...NOTHING, roomOfOthers, roomOfFailing, deliveriesMax: 100 };
      const claimed = (await claimDeliveries(database, limits)).filter(({ account_id: id }) => id === accountId);
      return claimed.map(({ endpoint_failing: failing }) => failing);
    };
    assert.deepEqual(await take(1, 0), [false]);
    await database.query('update endpoint set failing_since = now() where id = $1', [endpointId]);
    assert.deepEqual(await take(1, 0), []);
    assert.deepEqual(await take(0, 1), [true]);
    assert.deepEqual(sequences(await claim(endpointId, 1)), [3]);
  });

  it('compares no endpoint that waits with the many that are known', async (t) => {
    const { database: large, drop: dropLarge } = await createTestDatabase();
    t.after(dropLarge);
    const rooms = (await fillEndpoints(large, 1_500)).map((endpointId) => ({ endpointId, room: 0 }));
    const [known, unknown] = [await rowsRead(large, { ...NOTHING, rooms }), await rowsRead(large, NOTHING)];
    assert.ok(unknown > 0);
    assert.equal(known, unknown);
  });

  it('reads what it takes and not all that waits, also after a vacuum that found hardly anything waiting', async (t) => {
    const { database: large, drop: dropLarge } = await createTestDatabase();
    t.after(dropLarge);
    const [endpointId] = await fillEndpoints(large, 1);
    const enqueue = `insert into delivery (account_id, endpoint_id, event_id)
      select account_id, id, gen_random_uuid() from endpoint, generate_series(1, $2) where id = $1`;
    await large.query(enqueue, [endpointId, 30_000]);
    await large.query('delete from delivery where ctid not in (select ctid from delivery order by ctid desc limit 10)');
    // In use, as the table is when deliveries go on, it keeps its pages.
    await large.query('vacuum (analyze, truncate off) delivery');
    await large.query(enqueue, [endpointId, 20_000]);
    assert.ok((await rowsRead(large, { ...NOTHING, roomOfOthers: 10, roomOfFailing: 10 })) < 200);
  });
});

describe('a delivery that is over', () => {
  it('takes no other one away with it, also when it is gone already', async () => {
    const { accountId, endpointId } = await addEndpoint();
    await record(accountId, ['message.sent', 'message.sent', 'message.sent']);
    const [before, over, after] = (await claim(endpointId, 3)).toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1));
    assert.ok(before && over && after);
    await removeDeliveries(database, [over]);
    await removeDeliveries(database, [over]);
    const left = 'select event_id from delivery where endpoint_id = $1 order by event_id';
    const others = [{ event_id: before.event_id }, { event_id: after.event_id }];
    assert.deepEqual(await database.query(left, [endpointId]), others);
  });

  it('stays if it was tried elsewhere meanwhile', async () => {
    const { accountId, endpointId } = await addEndpoint();
    await record(accountId, ['message.sent']);
    const [claimed] = await claim(endpointId, 1);
    assert.ok(claimed);
    await removeDeliveries(database, [{ ...claimed, attempts: 1 }]);
    assert.equal(await countDeliveries(endpointId), 1);
  });

  it('stays if it was asked for once more meanwhile, whatever the clock of the database says', async () => {
    for (const setBack of ['0', '1 hour']) {
      const { accountId, endpointId } = await addEndpoint();
      await record(accountId, ['message.sent']);
      const [claimed] = await claim(endpointId, 1);
      assert.ok(claimed);
      const [row] = await database.query<{ next_at_us: number }>(
        `update delivery set next_at = next_at + $2::interval where endpoint_id = $1
         returning (extract(epoch from next_at) * 1000000)::bigint as next_at_us`,
        [endpointId, setBack],
      );
      assert.ok(row);
      await replay(wishOf(accountId, endpointId));
      await removeDeliveries(database, [{ ...claimed, ...row }]);
      assert.equal(await removeByPlace({ ...claimed, ...row }), 0);
      assert.equal(await countDeliveries(endpointId), 1, setBack);
    }
  });

  it('goes although it was claimed again meanwhile, and one that is put off or given back stays with that claim', async () => {
    const { accountId, endpointId } = await addEndpoint();
    await record(accountId, ['message.sent', 'message.sent']);
    const before = await claim(endpointId, 2);
    await database.query('update delivery set claimed_until = now() where endpoint_id = $1', [endpointId]);
    assert.deepEqual(sequences(await claim(endpointId, 2)), [1, 2]);
    await releaseDeliveries(database, before);
    const settled = before.map((one) => ({ ...one, waitMs: one.sequence === 1 ? null : 1_000 }));
    await settleDeliveries(database, settled);
    const left = await database.query(
      'select event_id, attempts, claimed_until > now() as claimed from delivery where endpoint_id = $1',
      [endpointId],
    );
    assert.deepEqual(left, [{ event_id: before[1]?.event_id, attempts: 0, claimed: true }]);
  });

  it('is taken away by its place only if that still is its own', async () => {
    const { accountId, endpointId } = await addEndpoint();
    await record(accountId, ['message.sent', 'message.sent']);
    const [one, other] = await claim(endpointId, 2);
    assert.ok(one && other);
    const strangers: Placed[] = [
      { ...one, place: other.place },
      { ...one, attempts: 1 },
      { ...one, next_at_us: one.next_at_us - 1 },
      { ...one, endpoint_id: newId() },
      { ...one, account_id: newId() },
    ];
    for (const stranger of strangers) assert.equal(await removeByPlace(stranger), 0, JSON.stringify(stranger));
    assert.equal(await countDeliveries(endpointId), 2);
    assert.equal(await removeByPlace(one), 1);
    assert.equal(await countDeliveries(endpointId), 1);
    await releaseDeliveries(database, [other]);
    const [free] = await database.query<{ place: string }>(
      'select ctid as place from delivery where endpoint_id = $1',
      [endpointId],
    );
    assert.equal(await removeByPlace({ ...other, ...free }), 0, 'nobody has claimed it');
  });
});

describe('a replay', () => {
  it('is of the events of its mode and its account alone', async () => {
    const { accountId, endpointId } = await addEndpoint();
    const other = newId();
    const [own] = await record(accountId, ['message.sent'], 'test');
    const [live] = await record(accountId, ['message.sent', 'message.read'], 'live');
    const [foreign] = await record(other, ['message.sent', 'message.read'], 'test');
    const wish = wishOf(accountId, endpointId);
    const types = ['message.sent', 'message.read'];
    assert.deepEqual(await replay(wish), { events: 1, last: 1 });
    assert.deepEqual(await replay({ ...wish, types }), { events: 1, last: 1 });
    for (const [eventId, events] of [[own, 1] as const, [live, 0] as const, [foreign, 0] as const])
      assert.equal((await replay({ ...wish, afterSequence: null, eventId: eventId ?? '' })).events, events);
    const one = { ...wish, afterSequence: null, eventId: own ?? '', types: ['message.read'] };
    assert.equal((await replay(one)).events, 0, 'the endpoint wants none of its type');
  });

  it('goes on where the step before has ended, also where types are chosen', async () => {
    const { accountId, endpointId } = await addEndpoint();
    await record(accountId, ['message.read', 'message.sent', 'message.read', 'message.sent']);
    for (const types of [null, ['message.sent', 'message.read']]) {
      const wish = { ...wishOf(accountId, endpointId), types, upTo: 3 };
      assert.deepEqual(await replay({ ...wish, afterSequence: 0 }, 1), { events: 1, last: 1 });
      assert.deepEqual(await replay({ ...wish, afterSequence: 1 }, 5), { events: 2, last: 3 });
    }
  });

  it('brings nothing back that has expired', async () => {
    const { accountId, endpointId } = await addEndpoint();
    const [expired] = await record(accountId, ['message.sent', 'message.sent']);
    await database.query('update event_sequence set expired = 1 where account_id = $1', [accountId]);
    const wish = wishOf(accountId, endpointId);
    assert.deepEqual(await replay(wish), { events: 1, last: 2 });
    assert.deepEqual(await replay({ ...wish, types: ['message.sent'] }), { events: 1, last: 2 });
    assert.equal((await replay({ ...wish, afterSequence: null, eventId: expired ?? '' })).events, 0);
  });

  it('makes due what waits for its next try, with all its tries, and puts nothing off', async () => {
    const { accountId, endpointId } = await addEndpoint();
    await record(accountId, ['message.sent', 'message.sent']);
    await database.query(
      `update delivery set attempts = 3, next_at = now() + case when event_id = (select min(event_id::text)::uuid
         from delivery where endpoint_id = $1) then interval '1 hour' else interval '-1 hour' end where endpoint_id = $1`,
      [endpointId],
    );
    const wish = wishOf(accountId, endpointId);
    await replay(wish);
    const claimed = await claim(endpointId, 2);
    assert.deepEqual(sequences(claimed), [2, 1]);
    assert.deepEqual(
      claimed.map(({ attempts }) => attempts),
      [0, 0],
    );
  });
});

describe('a delivery that waits since before the clock of the database was set back', () => {
  it('is due, and none that waits for its next try', async () => {
    const { accountId, endpointId } = await addEndpoint();
    const other = await addEndpoint();
    await record(accountId, ['message.sent', 'message.sent', 'message.sent', 'message.sent']);
    await record(other.accountId, ['message.sent']);
    const waits = (id: string, sequence: number, next: string, claimed: string | null) =>
      database.query(
        `update delivery set next_at = now() + $3::interval, claimed_until = now() + $4::interval
         where endpoint_id = $1 and event_id = (select e.id from event e
           where e.account_id = delivery.account_id and e.sequence = $2)`,
        [id, sequence, next, claimed],
      );
    await waits(endpointId, 1, '40 days', null);
    await waits(endpointId, 2, '26 hours 24 minutes', null);
    await waits(endpointId, 3, '40 days', '40 days 45 seconds');
    await waits(endpointId, 4, '40 days', '45 seconds');
    await waits(other.endpointId, 1, '28 hours', null);
    assert.equal(await hastenDeliveries(database), 3);
    assert.equal(await hastenDeliveries(database), 0);
    assert.deepEqual(sequences(await claim(endpointId, 4)).toSorted(), [1, 3]);
    assert.deepEqual(sequences(await claim(other.endpointId, 1)), [1]);
  });
});

/** A test endpoint of an account of its own, which wants everything. */
async function addEndpoint(): Promise<{ accountId: string; endpointId: string }> {
  const [accountId, endpointId] = [newId(), newId()];
  const row = { account_id: accountId, id: endpointId, mode: 'test', url: 'http://127.0.0.1:9/' } as const;
  await insertEndpoint(database, { ...row, types: null, description: null, secret_sealed: Buffer.alloc(1) });
  return { accountId, endpointId };
}

/** How many rows the steps of a claim's plan take up, with those that they compare and leave. */
async function rowsRead(store: Database, limits: ClaimLimits): Promise<number> {
  const explainer = {
    query: <Row>(sql: string, values?: readonly unknown[]) =>
      store.query<Row>(`explain (analyze, costs off, format json) ${sql}`, values),
  };
  const plan = JSON.stringify(await claimDeliveries(explainer, limits));
  let rows = 0;
  JSON.parse(plan, (_, step: unknown) => {
    const members = Object.entries(Object(step));
    const loops = members.find(([name]) => name === 'Actual Loops')?.[1] ?? 0;
    for (const [name, value] of members)
      if (/^(Actual Rows|Rows Removed by .*)$/.test(name)) rows += Number(value) * Number(loops);
    return step;
  });
  return rows;
}

/**
 * Endpoints of accounts of their own, of each of which one event waits. Returns their ids. The planner learns nothing of them, as
 * with a backlog that has come quickly.
 */
async function fillEndpoints(store: Database, count: number): Promise<string[]> {
  const rows = await store.query<{ id: string }>(
    `with made as (
       insert into endpoint (account_id, id, mode, url, secret_sealed)
       select gen_random_uuid(), gen_random_uuid(), 'test', 'http://127.0.0.1:9/', '\\x00' from generate_series(1, $1::integer)
       returning account_id, id
     )
     insert into delivery (account_id, endpoint_id, event_id) select account_id, id, gen_random_uuid() from made
     returning endpoint_id as id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

/** Records an event of each type. Returns their ids. */
async function record(accountId: string, types: readonly EventType[], mode: Mode = 'test'): Promise<string[]> {
  const drafts = types.map((type) => ({ accountId, mode, type, data: {}, traceparent: null }));
  await database.transaction((tx) => appendEvents(tx, drafts));
  const rows = await database.query<{ id: string }>(
    'select id from event where account_id = $1 and mode = $2 order by sequence',
    [accountId, mode],
  );
  return rows.map(({ id }) => id);
}

/** What it takes of one endpoint; of the others it takes nothing. */
function claim(endpointId: string, room: number): Promise<ClaimedDelivery[]> {
  const rooms = [{ endpointId, room }];
  return claimDeliveries(database, { ...NOTHING, rooms, deliveriesMax: 100 });
}

function sequences(claimed: readonly ClaimedDelivery[]): (number | null)[] {
  return claimed.map(({ sequence }) => sequence);
}

async function removeByPlace(delivery: Placed): Promise<number | undefined> {
  const { text, values } = composeStatement([removalPart([delivery])]);
  return (await database.query<{ removed: number }>(text, values))[0]?.removed;
}

/** Of all that is recorded. */
function wishOf(accountId: string, endpointId: string): ReplayWish {
  return { accountId, mode: 'test', endpointId, types: null, afterSequence: 0, eventId: null, upTo: 9 };
}

function replay(wish: ReplayWish, limit = 100) {
  return database.transaction((tx) => replayEvents(tx, wish, limit));
}

async function countDeliveries(endpointId: string): Promise<number> {
  return (await database.query('select 1 from delivery where endpoint_id = $1', [endpointId])).length;
}
