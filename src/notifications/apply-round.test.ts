import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { messagesBody, statusOf, type TestLine, textFrom } from '../../test/support/notifications.ts';
import { restingTransaction } from '../../test/support/resting-transaction.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { newId } from '../kernel/ids.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { decodeNotification } from '../provider/whatsapp/decode/decode.ts';
import type { Database } from '../store/database.ts';
import { runRound } from './apply-round.ts';
import {
  type ClaimOrder,
  claimPacked,
  findUnapplied,
  finishPacked,
  insertPacks,
  type PackLimits,
  unpack,
} from './pack-store.ts';
import { claimNotification, claimNotifications, reprocessNotification, setNotificationAside } from './store.ts';

const LIMITS: PackLimits = { packsMax: 50, rowsMax: 500, bytesMax: 16 << 20 };
const log = pino({ level: 'silent' });

let test: TestDatabase;
let database: Database;
before(async () => {
  test = await createTestDatabase();
  database = test.database;
});
after(() => test.drop());
beforeEach(async () => {
  for (const table of ['notification', 'notification_pack']) await database.query(`delete from ${table}`);
});

/** Writes packs of texts that are no JSON, which are set aside when they are applied. */
const packs =
  (busy: boolean) =>
  (...bodies: string[]) =>
    insertPacks(
      database,
      bodies.map((body) => ({ id: newId(), origin: 'live', body: Buffer.from(body), busy })),
    );
const pack = packs(false);
const busyPack = packs(true);
const round = (told = log, order?: ClaimOrder) =>
  runRound(database, { decode: decodeNotification, nowMs: Date.now, messagesFromMs: () => 0 }, told, order);
/** The bodies that have rows, and their states. */
const kept = async () => {
  const rows = await database.query<{ body: Buffer; state: string; attempts: number }>(
    'select body, state, attempts from notification order by id',
  );
  return rows.map(({ body, state, attempts }) => `${body} ${state} ${attempts}`);
};
const packed = async () => {
  const rows = await database.query<{ bodies: Buffer }>('select bodies from notification_pack order by id');
  return rows.map(({ bodies }) => bodies.toString());
};
/** An account with a channel. */
const addAccount = (own: TestLine & { accountId: string; name: string }) =>
  database.query(
    `with own as (insert into account (id, name) values ($1, $2) returning id)
     insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed)
     select id, $3, 'live', $4, $5, $6, '' from own`,
    [own.accountId, own.name, newId(), own.phoneNumberId, own.businessAccountId, own.phoneNumber],
  );

describe('a round of applying', () => {
  it('leaves what another node has taken, and takes it once that node has died', async () => {
    await pack('one', 'two');
    const holds = Promise.withResolvers<number>();
    const ends = Promise.withResolvers<void>();
    const dying = database.transaction(async (tx) => {
      const { packed: taken } = await claimPacked(tx, 'quiet', LIMITS);
      const applied = { state: 'applied' as const, kinds: [], itemsLeft: [], error: null, retryInSeconds: 0 };
      await finishPacked(
        tx,
        taken,
        taken.map(({ id }) => ({ id, ...applied })),
      );
      const [session] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      holds.resolve(session?.pid ?? 0);
      await ends.promise;
      await tx.query('select 1');
    });
    const pid = await holds.promise;
    await pack('three');
    assert.equal(await round(), 1);
    assert.equal(await round(), 0);
    assert.deepEqual(await kept(), ['three set_aside 1']);
    await database.query('select pg_terminate_backend($1, 5000)', [pid]);
    ends.resolve();
    await assert.rejects(dying);
    assert.equal(await round(), 2);
    assert.deepEqual(await kept(), ['one set_aside 1', 'two set_aside 1', 'three set_aside 1']);
    assert.deepEqual(await packed(), []);
  });

  it('takes as many bytes as this process can read in a moment, and a larger notification alone', async () => {
    for (const size of [400, 400, 400, 3_000, 400]) await pack('x'.repeat(size << 10));
    assert.deepEqual([await round(), await round(), await round(), await round(), await round()], [2, 1, 1, 1, 0]);
  });

  it('takes what busy numbers have brought last, unless it is told to take the oldest', async () => {
    for (const name of ['b', 'c']) await busyPack(...Array.from({ length: 500 }, () => name));
    await pack('quiet');
    await round();
    assert.deepEqual(await kept(), ['quiet set_aside 1']);
    await pack(...Array.from({ length: 500 }, () => 'quiet'));
    await round(log, 'oldest');
    assert.deepEqual([...new Set(await kept())], ['b set_aside 1', 'quiet set_aside 1']);
    await round();
    await round();
    assert.equal((await kept()).length, 1_501);
  });

  /** Whether the round has told that it has caught up. */
  const catchesUp = async () => {
    let times = 0;
    const deps = {
      decode: decodeNotification,
      nowMs: Date.now,
      messagesFromMs: () => 0,
      onClaim: () => () => void times++,
    };
    await runRound(database, deps, log);
    return times === 1;
  };

  it('tells that it has caught up when it has left no pack, however much it took', async () => {
    for (let number = 0; number < 2; number++) await pack(...Array.from({ length: 400 }, () => 'new'));
    assert.deepEqual([await catchesUp(), await catchesUp(), await catchesUp()], [false, true, true]);
    // One more than a claim looks at.
    for (let number = 0; number < 51; number++) await pack('new');
    assert.deepEqual([await catchesUp(), await catchesUp()], [false, true]);
  });

  it('does not tell that it has caught up while packs wait that another node only looks at', async () => {
    for (let number = 0; number < 2; number++) await pack(...Array.from({ length: 400 }, () => 'new'));
    await database.transaction(async (other) => {
      const { packed: taken } = await claimPacked(other, 'oldest', LIMITS);
      assert.equal(taken.length, 400);
      assert.equal(await catchesUp(), false);
      await pack('one more');
      assert.equal(await catchesUp(), false);
      assert.deepEqual(await kept(), ['one more set_aside 1']);
    });
  });

  it('does not tell that it has caught up when it fails, and its packs wait again', async () => {
    await pack('new');
    const decode = () => {
      throw new StoreUnavailable('away', false);
    };
    let times = 0;
    const deps = { decode, nowMs: Date.now, messagesFromMs: () => 0, onClaim: () => () => void times++ };
    await assert.rejects(runRound(database, deps, log), StoreUnavailable);
    assert.equal(times, 0);
    assert.deepEqual([await packed(), await kept()], [['new'], []], 'a fault that passes by itself refuses nothing');
    assert.equal(await catchesUp(), true);
  });

  it('goes on with what has waited even while packs alone would fill it', async () => {
    await database.query(
      `insert into notification (id, origin, body) select gen_random_uuid(), 'live', 'old' from generate_series(1, 150)`,
    );
    for (let number = 0; number < 3; number++) await pack(...Array.from({ length: 500 }, () => 'new'));
    assert.deepEqual([await round(), await round(), await round(), await round()], [600, 550, 500, 0]);
  });

  it('goes on with what has waited also while large packs fill it', async () => {
    await database.query(
      `insert into notification (id, origin, body)
       select gen_random_uuid(), 'live', convert_to(repeat('o', 1000), 'UTF8') from generate_series(1, 150)`,
    );
    for (let number = 0; number < 3; number++) await pack('n'.repeat(1 << 20));
    assert.deepEqual([await round(), await round(), await round(), await round()], [151, 1, 1, 0]);
  });
});

it('a round that is refused applies each alone, in the order in which they came', async () => {
  const [first, second] = [newId(), newId()];
  await pack('third', 'fourth');
  const waiting = `insert into notification (id, origin, body) values ($1, 'live', 'first'), ($2, 'live', 'second')`;
  await database.query(waiting, [first, second]);
  const order: string[] = [];
  const decode = (body: Buffer) => {
    if (order.push(body.toString()) === 4) throw new Error('Refused');
    return decodeNotification(body);
  };
  await runRound(database, { decode, nowMs: Date.now, messagesFromMs: () => 0 }, log);
  assert.deepEqual(order.slice(4), ['first', 'second', 'third', 'fourth']);
});

it('a fault that passes by itself sets nothing aside, also where each is applied alone', async () => {
  await pack('first', 'second');
  const faults: Error[] = [new Error('Refused'), new StoreUnavailable('away', false)];
  const decode = (body: Buffer) => {
    const fault = faults.shift();
    if (fault !== undefined) throw fault;
    return decodeNotification(body);
  };
  const deps = { decode, nowMs: Date.now, messagesFromMs: () => 0 };
  await assert.rejects(runRound(database, deps, log), StoreUnavailable);
  assert.deepEqual(await kept(), ['first waiting 0', 'second waiting 0']);
  assert.equal((await findUnapplied(database)).unpacked, true);
  await runRound(database, deps, log);
  await database.query("update notification set state = 'waiting', next_at = now()");
  assert.equal((await findUnapplied(database)).unpacked, false, 'they were looked at');
});

describe('what waits', () => {
  const wait = async (body: string, nextIn: string) => {
    const id = newId();
    const sql = `insert into notification (id, origin, body, next_at) values ($1, 'live', $2, now() + $3::interval)`;
    await database.query(sql, [id, body, nextIn]);
    return id;
  };
  const claim = (rowsMax: number, bytesMax: number) =>
    database.transaction(async (tx) =>
      (await claimNotifications(tx, rowsMax, bytesMax)).map(({ body }) => body.toString()).join(' '),
    );

  it('is taken when its time has come, what is due longest first, within the limits, and a large one alone', async () => {
    for (const [body, nextIn] of [
      ['late', '-1 s'],
      ['early', '-1 h'],
      ['later', '1 h'],
    ] as const)
      await wait(body, nextIn);
    assert.equal(await claim(1, 100), 'early');
    assert.equal(await claim(3, 100), 'late early');
    assert.equal(await claim(3, 6), 'late early');
    for (const bytes of [1, 5]) assert.equal(await claim(3, bytes), 'early');
  });

  it('is taken by one node', async () => {
    await wait('one', '0 s');
    await database.transaction(async (other) => {
      assert.equal((await claimNotifications(other, 1, 100)).length, 1);
      assert.equal(await claim(1, 100), '');
    });
    assert.equal(await claim(1, 100), 'one');
  });

  it('is taken at once when somebody asks for that', async () => {
    const id = await wait('later', '1 h');
    assert.equal(await round(), 0);
    assert.equal((await reprocessNotification(database, id, { setAsideFromMs: 0 }))?.state, 'waiting');
    assert.equal(await round(), 1);
  });

  it('is not applied again, nor set aside, by who was to apply it alone when another one has done so', async () => {
    const id = await wait('applied', '0 s');
    await database.query("update notification set state = 'applied'");
    assert.equal(await database.transaction((tx) => claimNotification(tx, id)), undefined);
    await setNotificationAside(database, id, 'failed');
    assert.deepEqual(await kept(), ['applied applied 0']);
  });
});

it('what waits is applied together with others unless an item of it has failed', async () => {
  const errors = [null, 'unknown_message', 'unknown_message, not_failed_at_all', 'failed', 'failed, unknown_message'];
  for (const error of errors)
    await database.query("insert into notification (id, origin, body, error) values ($1, 'live', '', $2)", [
      newId(),
      error,
    ]);
  const claimed = await database.transaction((tx) => claimNotifications(tx, 100, 1_000));
  assert.deepEqual(
    claimed.map(({ spoiling }) => spoiling),
    [false, false, false, true, true],
  );
});

it('what has spoiled its batch is applied alone from then on, while it waits for a message', async () => {
  const line = { phoneNumberId: '900000000000021', businessAccountId: '900000000000022', phoneNumber: '+447700900921' };
  await addAccount({ ...line, accountId: newId(), name: 'Own' });
  await database.transaction((tx) =>
    tx.runScript(`
      create function refuse_poison() returns trigger language plpgsql as
        $$ begin
          if new.type = 'poison' then raise exception 'poisoned'; end if;
          if new.type = 'conflict' then raise exception 'in conflict' using errcode = '40P01'; end if;
          return new;
        end $$;
      create trigger poison before insert on message for each row execute function refuse_poison()`),
  );
  const words: string[] = [];
  const noting = pino({}, { write: (entry) => void words.push(JSON.parse(entry).msg) });
  const statuses = [statusOf('sent', { providerId: 'wamid.not-known-yet' })];
  const messages = [textFrom('+447700900123', 'wamid.poison', { type: 'poison' })];
  await pack(JSON.stringify(messagesBody(line, { statuses, messages })));
  await round(noting);
  assert.ok(words.includes('notifications.batch_refused'));

  words.length = 0;
  await database.query('update notification set next_at = now()');
  await pack('beside it');
  assert.equal(await round(noting), 2);
  assert.deepEqual(words, ['notification.item_failed']);
  const rows = await database.query('select state, error, attempts from notification order by id');
  assert.deepEqual(rows, [
    { state: 'waiting', error: 'failed, unknown_message', attempts: 2 },
    { state: 'set_aside', error: 'not_json', attempts: 1 },
  ]);

  const conflict = textFrom('+447700900123', 'wamid.conflict', { type: 'conflict' });
  const body = JSON.stringify(messagesBody(line, { messages: [...messages, conflict] }));
  await pack(body);
  await assert.rejects(round(), { code: '40P01' });
  assert.equal((await kept()).at(-1), `${body} waiting 0`, 'what passes by itself sets no item aside');
});

it('a row that somebody keeps locked holds up what is written to it, and nothing else of its batch or its notification', async () => {
  const lines = ['held', 'free'].map((name, place) => {
    const [phoneNumberId, businessAccountId] = [`90000000000003${place}`, `90000000000004${place}`];
    return { name, accountId: newId(), phoneNumberId, businessAccountId, phoneNumber: `+44770090093${place}` };
  });
  for (const line of lines) await addAccount(line);
  const told = () => database.query('select name from event join account a on a.id = account_id order by event.id');
  await restingTransaction(database, async (terminal) => {
    const held = "insert into event_sequence (account_id, mode, last) values ($1, 'live', 0)";
    await terminal.query(held, [lines[0]?.accountId]);
    const text = { messages: [textFrom('+447700900123', 'wamid.locked')] };
    const bodies = lines.map((line) => JSON.stringify(messagesBody(line, text)));
    await pack(...bodies, JSON.stringify({ entry: bodies.flatMap((body) => JSON.parse(body).entry) }));
    await round();
    assert.deepEqual(await told(), [{ name: 'free' }]);
    const waiting = await database.query("select items_left, error from notification where state = 'waiting'");
    assert.deepEqual(waiting, Array(2).fill({ items_left: [0], error: 'locked' }));
    assert.equal((await findUnapplied(database)).unpacked, true, 'it may tell of a message that would be sent again');
  });
  await database.query('update notification set next_at = now()');
  await database.transaction(async (terminal) => {
    await terminal.query('lock table notification in share mode');
    await assert.rejects(round(), StoreUnavailable, 'what became of it cannot be written down');
  });
  await round();
  assert.deepEqual(await told(), [{ name: 'free' }, { name: 'held' }]);
});

describe('a pack', () => {
  it('holds what one commit brings of busy numbers, and another one the rest', async () => {
    const one = (body: string, busy: boolean) => ({
      id: newId(),
      origin: 'live' as const,
      body: Buffer.from(body),
      busy,
    });
    await insertPacks(database, [one('a', true), one('b', false), one('c', true), one('d', false)]);
    const rows = await database.query(
      'select busy, cardinality(ids) as ids, bodies::text from notification_pack order by busy',
    );
    assert.deepEqual(rows, [
      { busy: false, ids: 2, bodies: '\\x6264' },
      { busy: true, ids: 2, bodies: '\\x6163' },
    ]);
  });

  it('is claimed whole, the oldest first, within the limits, and a large one alone', async () => {
    for (const bodies of [['12345'], ['1', '2', '3'], ['1', '2'], ['1'], ['1']]) await pack(...bodies);
    const claim = (limits: Partial<PackLimits>) =>
      database.transaction(async (tx) =>
        (await claimPacked(tx, 'quiet', { ...LIMITS, ...limits })).packed.map(({ body }) => body.toString()).join(' '),
      );
    assert.equal(await claim({}), '12345 1 2 3 1 2 1 1');
    assert.equal(await claim({ packsMax: 2 }), '12345 1 2 3');
    assert.equal(await claim({ rowsMax: 6 }), '12345 1 2 3 1 2');
    assert.equal(await claim({ rowsMax: 5 }), '12345 1 2 3');
    assert.equal(await claim({ rowsMax: 0 }), '12345');
    assert.equal(await claim({ bytesMax: 8 }), '12345 1 2 3');
    assert.equal(await claim({ bytesMax: 7 }), '12345');
    assert.equal(await claim({ bytesMax: 1 }), '12345');
  });

  it('is unpacked once, whoever else does it or takes it at the same time', async () => {
    await pack('', 'two', '\0three');
    await pack('four');
    let unpacking = Promise.resolve();
    const taken = await database.transaction(async (tx) => {
      const { packed: claimed } = await claimPacked(tx, 'quiet', LIMITS);
      unpacking = unpack(database, claimed);
      await until(async () => (await countWaitingForLocks(database)) === 1);
      await unpack(tx, claimed.slice(0, 3));
      return claimed;
    });
    await unpacking;
    const waiting = ['', 'two', '\0three', 'four'].map((body) => `${body} waiting 0`);
    assert.deepEqual(await kept(), waiting);
    await unpack(database, taken);
    assert.deepEqual(await kept(), waiting);
    assert.deepEqual(await packed(), []);
  });
});
