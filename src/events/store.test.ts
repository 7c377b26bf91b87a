import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { meetLock } from '../../test/support/meet-lock.ts';
import { newId } from '../kernel/ids.ts';
import type { Mode, Owner } from '../kernel/principal.ts';
import { type Database, openDatabase, type Queryable } from '../store/database.ts';
import type { EventDraft } from './event.ts';
import { appendEvents, findEvent, findLatest, findOldest, type ListedEventRow, listEvents } from './store.ts';

const ACCOUNTS = [newId(), newId(), newId()];
const MODES: Mode[] = ['test', 'live'];
const POOLS = 3;
const WRITERS = 12;
const TRANSACTIONS_A_WRITER = 40;

let test: TestDatabase;
let pools: Database[];
before(async () => {
  test = await createTestDatabase();
  const { connection } = test;
  pools = Array.from({ length: POOLS }, () => openDatabase({ connection, connections: 5, onError: () => undefined }));
});
after(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  await test.drop();
});

const draft = (accountId: string, mode: Mode, more: Partial<EventDraft> = {}): EventDraft => ({
  accountId,
  mode,
  type: 'message.sent',
  data: { message: { id: newId() } },
  traceparent: null,
  ...more,
});
const record = (database: Database, drafts: readonly EventDraft[]) =>
  database.transaction((tx) => appendEvents(tx, drafts));
const boundsOf = async (log: Owner) => {
  const latest = await findLatest(test.database, [log]);
  return { latest: latest(log), oldest: await findOldest(test.database, log) };
};
const sequences = (rows: ListedEventRow[]) => rows.map(({ sequence }) => sequence);
const numbersTo = (last: number) => Array.from({ length: last }, (_, place) => place + 1);

/** Reads on and on from the last number that it saw, as a customer does, until told to stop; then to the end. */
async function follow(
  database: Database,
  accountId: string,
  mode: Mode,
  stopped: () => boolean,
): Promise<ListedEventRow[]> {
  const seen: ListedEventRow[] = [];
  for (;;) {
    const last = stopped();
    const rows = await listEvents(database, {
      accountId,
      mode,
      after: seen.at(-1)?.sequence ?? 0,
      types: null,
      limit: 7,
    });
    seen.push(...rows);
    if (last && rows.length === 0) return seen;
  }
}

describe('the log of events', () => {
  it('is read in its order from one number on, also where several types are chosen', async () => {
    const accountId = newId();
    const types = ['message.read', 'message.sent', 'message.read', 'message.sent', 'message.delivered'] as const;
    await record(
      test.database,
      types.map((type) => draft(accountId, 'test', { type })),
    );
    const read = async (after: number, limit: number) =>
      sequences(
        await listEvents(test.database, {
          accountId,
          mode: 'test',
          after,
          types: ['message.sent', 'message.read'],
          limit,
        }),
      );
    assert.deepEqual(await read(0, 9), [1, 2, 3, 4]);
    assert.deepEqual(await read(1, 2), [2, 3]);
    assert.deepEqual(await read(3, 2), [4]);
  });

  it('has numbers without gaps in the order of the commits, however many write and however many give up', async () => {
    const step = fc.record({
      drafts: fc.array(fc.tuple(fc.constantFrom(...ACCOUNTS), fc.constantFrom(...MODES)), {
        minLength: 1,
        maxLength: 9,
      }),
      aborts: fc.integer({ min: 0, max: 9 }).map((chance) => chance < 3),
    });
    const [...plans] = fc.sample(
      fc.array(step, { minLength: TRANSACTIONS_A_WRITER, maxLength: TRANSACTIONS_A_WRITER }),
      WRITERS,
    );
    let written = false;
    const followers = ACCOUNTS.flatMap((accountId) =>
      MODES.map(async (mode) => ({
        accountId,
        mode,
        seen: await follow(test.database, accountId, mode, () => written),
      })),
    );
    const committed: EventDraft[] = [];
    await Promise.all(
      plans.map(async (plan, writer) => {
        const pool = pools[writer % POOLS];
        assert.ok(pool);
        for (const { drafts: logs, aborts } of plan) {
          const drafts = logs.map(([accountId, mode]) => draft(accountId, mode));
          const abort = new Error('given up');
          const work = pool.transaction(async (tx) => {
            await appendEvents(tx, drafts);
            if (aborts) throw abort;
          });
          if (aborts) await assert.rejects(work, abort);
          else {
            await work;
            committed.push(...drafts);
          }
        }
      }),
    );
    written = true;

    assert.ok(committed.length > 1_000, `only ${committed.length} events`);
    for (const { accountId, mode, seen } of await Promise.all(followers)) {
      const own = committed.filter((one) => one.accountId === accountId && one.mode === mode);
      // A reader that polls while others write sees every number once, in order: none is filled in later.
      assert.deepEqual(sequences(seen), numbersTo(own.length));
      assert.deepEqual(
        new Set(seen.map(({ data }) => JSON.stringify(JSON.parse(data ?? '')))),
        new Set(own.map(({ data }) => JSON.stringify(data))),
      );
      assert.ok(
        seen.every(({ at_ms: atMs }, place) => place === 0 || atMs >= (seen[place - 1]?.at_ms ?? atMs)),
        'times follow the numbers',
      );
      assert.deepEqual(await boundsOf({ accountId, mode }), { latest: own.length, oldest: 1 });
    }
  });

  it('keeps the order that the events of one transaction were given in', async () => {
    const accountId = newId();
    const drafts = Array.from({ length: 500 }, (_, place) =>
      draft(accountId, 'test', { data: { message: { place } } }),
    );
    await record(test.database, drafts);
    const rows = await listEvents(test.database, { accountId, mode: 'test', after: 0, types: null, limit: 1_000 });
    assert.deepEqual(
      rows.map(({ data, sequence }) => [JSON.parse(data ?? '').message, sequence]),
      drafts.map(({ data }, place) => [data.message, place + 1]),
    );
  });

  it('hides a number until its transaction has committed, and makes the next writer wait for it', async () => {
    const accountId = newId();
    const [one, other] = pools;
    assert.ok(one && other);
    const held = Promise.withResolvers<void>();
    const numbered = Promise.withResolvers<void>();
    const first = one.transaction(async (tx) => {
      await appendEvents(tx, [draft(accountId, 'test', { type: 'message.read' })]);
      numbered.resolve();
      await held.promise;
    });
    await numbered.promise;
    const second = record(other, [draft(accountId, 'test')]);
    // Another account, and another mode of the same one, are not kept waiting.
    await record(other, [draft(newId(), 'test'), draft(accountId, 'live')]);
    assert.deepEqual(await boundsOf({ accountId, mode: 'test' }), { latest: 0, oldest: undefined });
    held.resolve();
    await Promise.all([first, second]);
    const rows = await listEvents(test.database, { accountId, mode: 'test', after: 0, types: null, limit: 10 });
    assert.deepEqual(
      rows.map(({ sequence, type }) => [sequence, type]),
      [
        [1, 'message.read'],
        [2, 'message.sent'],
      ],
    );
  });

  it('is numbered with others in the order in which what has expired is hidden in them, so that the two do not wait in a circle', async () => {
    const drafts = [newId(), newId()].flatMap((accountId) =>
      (['live', 'test'] as const).map((mode) => draft(accountId, mode)),
    );
    await record(test.database, drafts.toReversed());
    const lock = async (tx: Queryable, { accountId, mode }: Owner) =>
      tx.query('select 1 from event_sequence where account_id = $1 and mode = $2 for update nowait', [accountId, mode]);
    const [first, ...others] = drafts;
    assert.ok(first);
    await meetLock(test.database, {
      hold: (tx) => lock(tx, first),
      work: () => record(test.database, drafts.toReversed()),
      meanwhile: async (tx) => {
        for (const other of others) await lock(tx, other);
      },
    });
    assert.deepEqual(await boundsOf(first), { latest: 2, oldest: 1 });
  });

  it('has each event once, and none that has expired though it is still stored, whatever types are chosen', async () => {
    const accountId = newId();
    await record(
      test.database,
      [1, 2, 3].map(() => draft(accountId, 'test')),
    );
    await test.database.query('update event_sequence set expired = 1 where account_id = $1', [accountId]);
    for (const types of [null, ['message.sent'], ['message.sent', 'message.read', 'message.sent']]) {
      const rows = await listEvents(test.database, { accountId, mode: 'test', after: 0, types, limit: 10 });
      assert.deepEqual(
        rows.map(({ sequence }) => sequence),
        [2, 3],
      );
    }
  });

  it('records nothing when there is nothing to record', async () => {
    await record(test.database, []);
  });

  it('tells its bounds, also when nothing was recorded and when all or some has expired', async () => {
    const accountId = newId();
    const bounds = () => boundsOf({ accountId, mode: 'test' });
    assert.deepEqual(await bounds(), { latest: 0, oldest: undefined });
    await record(
      test.database,
      [1, 2, 3].map(() => draft(accountId, 'test')),
    );
    await test.database.query('delete from event where account_id = $1 and sequence < 3', [accountId]);
    assert.deepEqual(await bounds(), { latest: 3, oldest: 3 });
    await test.database.query('delete from event where account_id = $1', [accountId]);
    assert.deepEqual(await bounds(), { latest: 3, oldest: undefined });
    await record(test.database, [draft(accountId, 'test')]);
    assert.deepEqual(await bounds(), { latest: 4, oldest: 4 });
  });

  it('tells the last numbers of several logs at once', async () => {
    const [one, other] = [newId(), newId()];
    await record(test.database, [draft(one, 'test'), draft(one, 'test'), draft(one, 'live'), draft(other, 'live')]);
    const logs = [one, other].flatMap((accountId) => MODES.map((mode) => ({ accountId, mode })));
    const latest = await findLatest(test.database, [...logs, ...logs]);
    const at = (accountId: string, mode: Mode) => latest({ accountId, mode });
    assert.deepEqual([at(one, 'test'), at(one, 'live'), at(other, 'test'), at(other, 'live')], [2, 1, 0, 1]);
    const none = await findLatest(test.database, []);
    assert.equal(none({ accountId: one, mode: 'test' }), 0);
  });

  it('finds one event in its own account and mode only', async () => {
    const accountId = newId();
    await record(test.database, [draft(accountId, 'test', { data: { message: { text: 'ü \u2028 "' } } })]);
    const [row] = await listEvents(test.database, { accountId, mode: 'test', after: 0, types: null, limit: 1 });
    assert.ok(row);
    assert.deepEqual(JSON.parse(row.data ?? ''), { message: { text: 'ü \u2028 "' } });
    assert.deepEqual(await findEvent(test.database, { accountId, mode: 'test' }, row.id), row);
    assert.equal(await findEvent(test.database, { accountId, mode: 'live' }, row.id), undefined);
    assert.equal(await findEvent(test.database, { accountId: newId(), mode: 'test' }, row.id), undefined);
    await test.database.query('update event_sequence set expired = last where account_id = $1', [accountId]);
    assert.equal(await findEvent(test.database, { accountId, mode: 'test' }, row.id), undefined, 'it has expired');
  });

  it('lists no data of a large event, also where they are small as the database keeps them', async () => {
    const accountId = newId();
    const incompressible = (bytes: number) => randomBytes(bytes / 2).toString('hex');
    const texts = [incompressible(6_000), 'x'.repeat(6_000), incompressible(20_000), 'x'.repeat(200_000), 'x'];
    await record(
      test.database,
      texts.map((text) => draft(accountId, 'test', { data: { text } })),
    );
    for (const types of [null, ['message.sent']]) {
      const rows = await listEvents(test.database, { accountId, mode: 'test', after: 0, types, limit: 10 });
      assert.deepEqual(
        rows.map(({ data }) => (data === null ? null : JSON.parse(data).text)),
        [texts[0], texts[1], null, null, texts[4]],
      );
      const whole = await findEvent(test.database, { accountId, mode: 'test' }, rows[3]?.id ?? '');
      assert.equal(JSON.parse(whole?.data ?? '').text, texts[3]);
    }
  });
});
