import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { least } from '../../test/support/least.ts';
import { firstIdOfMs, newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import { applyReports } from '../messages/report/apply-reports.ts';
import { DELIVERY_TIME_BOUNDS_MS } from './delivery-times.ts';
import { sweepMessages } from './due-store.ts';
import { createNotedMinutes, markMessages } from './mark.ts';
import { countRound } from './rounds.ts';

const DAY_MS = 86_400_000;
/** So long ago that nothing of the days that are counted lies in the future. */
const NOON_MS = (Math.floor(Date.now() / DAY_MS) - 90) * DAY_MS + DAY_MS / 2;
const KEEP = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
/** What was made before may be deleted. */
const KEPT_FROM_MS = NOON_MS - DAY_MS;
/** When that is so; the database's clock is later. */
const NOW_MS = KEPT_FROM_MS + KEEP.messages * DAY_MS;
const NOTHING_NOTED = { note: () => undefined, flush: async () => undefined };
const STATES = ['pending', 'accepted', 'sent', 'delivered', 'read', 'failed', 'refused', 'unknown'] as const;
type State = (typeof STATES)[number];

/** A change of one message: made if there is none of that number yet. */
interface Change {
  message: number;
  state: State;
  mode: Mode;
  /** After noon of the first day. */
  minute: number;
  toDeliveryMs: number;
}

const CHANGE: fc.Arbitrary<Change> = fc.record({
  message: fc.integer({ min: 0, max: 15 }),
  state: fc.constantFrom(...STATES),
  mode: fc.constantFrom('live', 'test'),
  minute: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 * 1_440 })),
  toDeliveryMs: fc.integer({ min: 0, max: 200_000_000 }),
});

describe('the counting of messages', () => {
  let store: TestDatabase;
  before(async () => {
    store = await createTestDatabase();
  });
  after(() => store.drop());

  it('ends with what a count over all messages gives, however changes and rounds fall together', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(CHANGE, { maxLength: 12 }), { maxLength: 12, size: 'max' }),
        async (batches) => {
          const accountId = newId();
          const place = placer();
          const marking = batches.map((batch) => applyChanges(store, accountId, batch, place));
          const rounds = [hurriedRound(store), hurriedRound(store), hurriedRound(store)];
          await Promise.all([...marking, ...rounds]);
          await countAll(store);
          for (const step of ['minute', 'hour', 'day'])
            assert.deepEqual(await kept(store, accountId, step), await counted(store, accountId, step));
        },
      ),
      { numRuns: 25 },
    );
  });

  it('goes on in one round with all that is marked and due, unless that takes long', async () => {
    const { database } = store;
    const rowsOf = async (what: string) => (await database.query(`select 1 from ${what}`)).length;
    const left = await least(0, async () => {
      await database.query('delete from message_statistics_due');
      for (const sql of [
        `insert into message_statistics_mark (account_id, minute_at) select $1, now() from generate_series(1, 5001)`,
        `insert into message_statistics_due (account_id, step, bucket_at, due_at)
         select $1, 'day', now() - place * interval '1 day', now() from generate_series(1, 41) place`,
      ])
        await database.query(sql, [newId()]);
      await countRound({ database, noted: NOTHING_NOTED, days: KEEP, clock: { nowMs: Date.now } });
      return (await rowsOf('message_statistics_mark')) + (await rowsOf("message_statistics_due where step = 'day'"));
    });
    assert.equal(left, 0);
    await database.query('delete from message_statistics_due');
  });

  it('keeps what was counted of messages that are gone, and counts a neighbour that changes', async () => {
    const accountId = newId();
    const [old, young] = [change({ message: 1, minute: 0 }), change({ message: 2, minute: 70 })];
    await applyChanges(store, accountId, [old, young], placer());
    await countAll(store);
    const before = await kept(store, accountId, 'day');
    await store.database.query('delete from message where account_id = $1 and id < $2', [
      accountId,
      firstIdOfMs(NOON_MS + 60_000),
    ]);
    await markMessages(store.database, [{ accountId, messageId: firstIdOfMs(NOON_MS) }]);
    await countAll(store);
    assert.deepEqual(await kept(store, accountId, 'day'), before);
    assert.equal(before[0]?.accepted, 2);
  });

  it('counts no minute again from which messages may be gone', async () => {
    const accountId = newId();
    const messageId = firstIdOfMs(KEPT_FROM_MS + 60_000);
    await insertMessage(store, accountId, messageId, change({}));
    await markMessages(store.database, [{ accountId, messageId }]);
    await countAll(store);
    assert.deepEqual(await kept(store, accountId, 'minute'), []);
  });

  it('counts what is young, whatever the clock of the node that counts says', async () => {
    const accountId = newId();
    const atMs = Date.now() - DAY_MS;
    const computed: number[] = [];
    for (const nowMs of [NOW_MS + 365 * DAY_MS, NOW_MS - 365 * DAY_MS]) {
      const messageId = `${firstIdOfMs(atMs).slice(0, 19)}${newId().slice(19)}`;
      await insertMessage(store, accountId, messageId, change({}));
      await markMessages(store.database, [{ accountId, messageId }]);
      await countAll(store, nowMs);
      assert.deepEqual(await kept(store, accountId, 'minute'), await counted(store, accountId, 'minute'));
      const [row] = await store.database.query<{ us: number }>(
        'select (extract(epoch from max(computed_at)) * 1000000)::bigint as us from message_statistics where account_id = $1',
        [accountId],
      );
      computed.push(row?.us ?? 0);
    }
    const [first = 0, again = 0] = computed;
    assert.ok(again > first, 'it tells when it was counted last');
  });

  it('counts what nobody has marked at the next sweep', async () => {
    const [account] = await store.database.query<{ id: string }>(
      "insert into account (id, name) values ($1, 'Swept') returning id",
      [newId()],
    );
    const accountId = account?.id ?? '';
    await insertMessage(store, accountId, firstIdOfMs(NOON_MS), change({ state: 'sent' }));
    await sweep(store);
    await countAll(store);
    assert.equal((await kept(store, accountId, 'hour'))[0]?.sent, 1);
  });

  it('counts a failure that the provider reported as taken, and one that it answered, however late, as refused', async () => {
    const accountId = newId();
    // The first and the last millisecond are of the minute.
    const ids = [0, 1, 59_999].map((ms) => firstIdOfMs(NOON_MS + ms));
    // All three were unknown at first; the last one's person was erased since.
    const rows = [ids, ['+447700900123', '+447700900124', null], ['wamid.1', null, null]];
    await store.database.query(
      `insert into message (account_id, id, request_id, channel_id, mode, direction, type, status, error, outcome, phone,
         provider_message_id, updated_at)
       select $1, id, id, id, 'test', 'outbound', 'text', 'failed', '{"code": "some_code"}', 'unknown', phone, provider_id, now()
       from unnest($2::uuid[], $3::text[], $4::text[]) as t(id, phone, provider_id)`,
      [accountId, ...rows],
    );
    await markMessages(
      store.database,
      ids.map((messageId) => ({ accountId, messageId })),
    );
    await countAll(store);
    const numbers = async () =>
      (await kept(store, accountId, 'minute')).map(({ accepted, failed }) => [accepted, failed]);
    assert.deepEqual(await numbers(), [[2, 3]]);
    // The provider reports the failure that it had answered: it had taken the message after all.
    const [, refused = ''] = ids;
    const at = new Date(NOON_MS);
    const named = {
      accountId,
      channelId: refused,
      formerChannelIds: [],
      providerMessageId: 'wamid.2',
      messageId: refused,
    };
    const report = { ...named, status: 'failed', at, receivedAt: at, error: null, pricing: null, userId: null };
    await store.database.transaction((tx) => applyReports(tx, [report]));
    await countAll(store);
    assert.deepEqual(await numbers(), [[3, 3]]);
  });

  it('notes each minute of each account once, and again if the note could not be written', async () => {
    const [accountId, other] = [newId(), newId()];
    const failing = { query: () => Promise.reject(new Error('away')) };
    let target: Parameters<typeof createNotedMinutes>[0] = failing;
    const noted = createNotedMinutes({ query: (sql, values) => target.query(sql, values) });
    const note = (id: string, ms: number) => noted.note({ accountId: id, messageId: firstIdOfMs(NOON_MS + ms) });
    for (const ms of [0, 1, 59_999, 60_000]) note(accountId, ms);
    note(other, 60_000);
    await assert.rejects(noted.flush(), /away/);
    target = store.database;
    await noted.flush();
    await noted.flush();
    const marksOf = async (id: string) => {
      const rows = await store.database.query<{ minute_at: Date }>(
        'select minute_at from message_statistics_mark where account_id = $1 order by minute_at',
        [id],
      );
      return rows.map((row) => row.minute_at.getTime() - NOON_MS);
    };
    assert.deepEqual([await marksOf(accountId), await marksOf(other)], [[0, 60_000], [60_000]]);
    await store.database.query('delete from message_statistics_mark');
    // What comes after a mark is not counted by it, also within the same millisecond.
    note(other, 60_000);
    await countRound({ database: store.database, noted, days: KEEP, clock: { nowMs: () => NOW_MS } });
    const due = await store.database.query('select bucket_at from message_statistics_due where account_id = $1', [
      other,
    ]);
    assert.deepEqual(due, [{ bucket_at: new Date(NOON_MS + 60_000) }]);
  });
});

function change(more: Partial<Change>): Change {
  return { message: 0, state: 'delivered', mode: 'live', minute: 0, toDeliveryMs: 1_500, ...more };
}

/** The id of each message, made when it is first named. */
function placer(): (change: Change) => string {
  const ids = new Map<number, string>();
  return ({ message, minute }) => {
    const id = ids.get(message) ?? `${firstIdOfMs(NOON_MS + minute * 60_000).slice(0, 19)}${newId().slice(19)}`;
    ids.set(message, id);
    return id;
  };
}

/** As an application of reports does it: messages and marks in one transaction. */
function applyChanges(
  { database }: TestDatabase,
  accountId: string,
  changes: readonly Change[],
  place: (change: Change) => string,
): Promise<void> {
  const placed = changes.map((one) => ({ id: place(one), one })).sort((a, b) => (a.id < b.id ? -1 : 1));
  return database.transaction(async (tx) => {
    for (const { id, one } of placed) await insertMessage({ database: tx }, accountId, id, one);
    await markMessages(
      tx,
      placed.map(({ id }) => ({ accountId, messageId: id })),
    );
  });
}

async function insertMessage(
  { database }: { database: Pick<TestDatabase['database'], 'query'> },
  accountId: string,
  id: string,
  { state, mode, toDeliveryMs }: Change,
): Promise<void> {
  const failed = state === 'failed' || state === 'refused';
  await database.query(
    `insert into message as m (account_id, id, request_id, channel_id, mode, direction, type, status, error, outcome,
       to_delivery_ms, updated_at)
     values ($1, $2, $2, $2, $3, 'outbound', 'text', $4, $5, $6, $7, now())
     on conflict (account_id, id) do update set status = excluded.status, error = excluded.error,
       outcome = excluded.outcome, to_delivery_ms = excluded.to_delivery_ms
     where excluded.status <> 'pending'`,
    [
      accountId,
      id,
      mode,
      failed ? 'failed' : state,
      failed || state === 'unknown' ? JSON.stringify({ code: `${state}_code` }) : null,
      state === 'pending' ? null : state === 'refused' ? 'failed' : state === 'unknown' ? 'unknown' : 'accepted',
      state === 'delivered' || state === 'read' ? toDeliveryMs : null,
    ],
  );
}

async function hurriedRound({ database }: TestDatabase, nowMs = NOW_MS): Promise<void> {
  await database.query('update message_statistics_due set due_at = now() where due_at > now()');
  await countRound({ database, noted: NOTHING_NOTED, days: KEEP, clock: { nowMs: () => nowMs } });
}

async function countAll(store: TestDatabase, nowMs = NOW_MS): Promise<void> {
  const left = async () => {
    const [row] = await store.database.query<{ left: number }>(
      'select (select count(*) from message_statistics_mark) + (select count(*) from message_statistics_due) as left',
    );
    return row?.left ?? 0;
  };
  do await hurriedRound(store, nowMs);
  while ((await left()) > 0);
}

async function sweep({ database }: TestDatabase): Promise<void> {
  await database.query("update message_statistics_sweep set swept_until = '1970-01-01Z'");
  await database.transaction((tx) => sweepMessages(tx, 900, 600));
}

interface Line {
  mode: string;
  at: Date;
  accepted: number;
  failed: number;
}

/** All that is kept of an account. */
function kept({ database }: TestDatabase, accountId: string, step: string): Promise<(Line & { sent: number })[]> {
  return database.query(
    `select mode, bucket_at as at, accepted, sent, delivered, read, failed, unknown, received, failures,
       (select coalesce(sum(n), 0)::integer from unnest(delivery_times) as n) as timed,
       (select coalesce(jsonb_object_agg(place - 1, n), '{}') from unnest(delivery_times) with ordinality as t(n, place)
         where n > 0) as times
     from message_statistics
     where account_id = $1 and step = $2::statistics_step
       and (accepted > 0 or failed > 0 or unknown > 0 or received > 0)
     order by mode, bucket_at`,
    [accountId, step],
  );
}

/** The same, from the messages themselves and written in another way. */
function counted({ database }: TestDatabase, accountId: string, step: string): Promise<Line[]> {
  return database.query(
    `with m as (
       select *, date_trunc($2, to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)) as at
       from message where account_id = $1
     )
     select mode, at,
       count(*) filter (where outcome = 'accepted')::integer as accepted,
       count(*) filter (where status >= 'sent' and status <= 'read')::integer as sent,
       count(*) filter (where status in ('delivered', 'read'))::integer as delivered,
       count(*) filter (where status = 'read')::integer as read,
       count(*) filter (where status = 'failed')::integer as failed,
       count(*) filter (where status = 'unknown')::integer as unknown,
       count(*) filter (where status = 'received')::integer as received,
       coalesce((select jsonb_object_agg(code, n) from (
         select f.error->>'code' as code, count(*) as n from m as f
         where f.mode = m.mode and f.at = m.at and f.status = 'failed' group by 1) as f), '{}') as failures,
       count(to_delivery_ms)::integer as timed,
       coalesce((select jsonb_object_agg(place, n) from (
         select (select count(*) from unnest($3::integer[]) as bound where bound <= t.to_delivery_ms) as place,
           count(*) as n
         from m as t where t.mode = m.mode and t.at = m.at and t.to_delivery_ms is not null group by 1) as t), '{}') as times
     from m where status not in ('pending', 'transmitting') group by mode, at order by mode, at`,
    [accountId, step, DELIVERY_TIME_BOUNDS_MS],
  );
}
