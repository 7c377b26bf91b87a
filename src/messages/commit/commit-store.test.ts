import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createTestDatabase } from '../../../test/support/database.ts';
import { meetLock } from '../../../test/support/meet-lock.ts';
import { intendedMessage, newRequest } from '../../../test/support/new-request.ts';
import { until } from '../../../test/support/until.ts';
import { countWaitingForLocks } from '../../../test/support/waiting-for-locks.ts';
import { newId } from '../../kernel/ids.ts';
import type { Mode } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import type { IntendedMessage, Outcome } from '../message.ts';
import type { NewRequest } from './begin-store.ts';
import { commitSends } from './commit-store.ts';
import { expireIdempotency, findIdempotency } from './idempotency-store.ts';
import { lockRequests } from './lock-store.ts';
import { keepAnswer, lockRunning } from './recover-store.ts';
import type { RowsKnown } from './settle-store.ts';
import { takeTurns } from './turn-store.ts';
import { findSettled } from './under-way-store.ts';
import { withdrawRequest } from './withdraw-store.ts';

const ACCOUNT = newId();
const ANSWERED_AT = new Date('2026-05-04T03:02:01.000Z');

const { database, drop } = await createTestDatabase();
after(drop);

const known = async (mode: Mode, key: string, accountId = ACCOUNT) =>
  (await findIdempotency(database, [{ accountId, mode, key }]))[0];

describe('a request that ends', () => {
  it('ends alone, and gives its answer to its own key alone', async () => {
    const [one, sameKey, other] = [requestWith('k'), requestWith('k', 'live'), requestWith('another')];
    await begin(one, sameKey, other);
    await complete(one, 'k', '{"n": 1}');
    assert.deepEqual(await running(), [sameKey.id, other.id].sort());
    assert.equal((await known('test', 'k'))?.answer, '{"n": 1}');
    assert.equal((await known('live', 'k'))?.answer, null);
    assert.equal((await known('test', 'another'))?.answer, null);
    assert.equal(await known('test', 'k', newId()), undefined);
  });

  it('keeps the answer that was given first, and leaves a key that another request has claimed since', async () => {
    const request = requestWith('first');
    await begin(request);
    await complete(request, 'first', 'first');
    await complete(request, 'first', 'second');
    assert.equal((await known('test', 'first'))?.answer, 'first');
    await complete(requestWith('first'), 'first', 'third');
    const claimedAnew = requestWith('anew');
    await begin(claimedAnew);
    await complete(requestWith('anew'), 'anew', 'not its own');
    assert.equal((await known('test', 'anew'))?.answer, null);
  });

  it('does not keep its key from a recovery while it waits for that, so that neither waits for the other in turn', async () => {
    for (const rows of ['new', 'any'] as const) {
      const request = requestWith(`recovered beside ${rows}`);
      await begin(request);
      const key = { mode: request.mode, key: `recovered beside ${rows}` };
      const completed = [{ accountId: ACCOUNT, id: request.id, replay: { ...key, answer: 'of the send' } }];
      await meetLock(database, {
        hold: (tx) => lockRunning(tx, ACCOUNT, request.id),
        work: () => commitSends(database, { begun: [], settled: settledOf(request, {}), completed }, rows),
        meanwhile: (tx) =>
          keepAnswer(tx, { accountId: ACCOUNT, ...key, requestId: request.id, answer: 'of the recovery' }),
      });
      assert.equal((await known('test', key.key))?.answer, 'of the recovery');
    }
  });

  it('ends at the time of its first end, however often the end is repeated', async () => {
    const request = requestWith(null);
    await begin(request);
    await complete(request, null, '');
    const long = "update request set completed_at = now() - interval '1 hour' where id = $1 returning completed_at";
    const [before] = await database.query(long, [request.id]);
    await complete(request, null, '');
    assert.deepEqual(await database.query('select completed_at from request where id = $1', [request.id]), [before]);
  });
});

describe('a request that does not begin', () => {
  it('leaves no message that would wait for its turn', async () => {
    const first = requestWith('claimed');
    await begin(first);
    const second = requestWith('claimed', 'test', [intend('pending')]);
    assert.deepEqual(await begin(second, requestWith(null)), new Set([second.id]));
    assert.deepEqual(await statusesOf(second), []);
  });

  it('keeps none from beginning that shares its commit, with a key of its own or without one', async () => {
    await begin(requestWith('taken'));
    const second = requestWith('taken');
    const others = [requestWith('free', 'test', [intend('pending')]), requestWith(null, 'test', [intend('pending')])];
    assert.deepEqual(await begin(...others, second), new Set([second.id]));
    const begun = await running();
    assert.ok(!begun.includes(second.id));
    for (const other of others) {
      assert.ok(begun.includes(other.id));
      assert.deepEqual(await statusesOf(other), ['pending']);
    }
  });
});

describe('a request that is taken back', () => {
  it('takes no other one along, nor its key, nor what waits in it', async () => {
    const [request, other] = [
      requestWith('back', 'test', [intend('pending')]),
      requestWith('stays', 'test', [intend('pending')]),
    ];
    await begin(request, other);
    await database.transaction((tx) => withdrawRequest(tx, request));
    assert.deepEqual(await statusesOf(request), []);
    assert.deepEqual(await statusesOf(other), ['pending']);
    assert.ok((await running()).includes(other.id));
    assert.equal(await known('test', 'back'), undefined);
    assert.ok(await known('test', 'stays'));
  });

  it('leaves the key to who has claimed it since, and what has ended meanwhile as it is', async () => {
    const request = requestWith('won', 'test', [intend('pending')]);
    await begin(request);
    await database.transaction((tx) => withdrawRequest(tx, { ...request, id: newId() }));
    assert.ok(await known('test', 'won'));
    await complete(request, null, '');
    await database.transaction((tx) => withdrawRequest(tx, request));
    assert.equal((await database.query('select 1 from request where id = $1', [request.id])).length, 1);
    assert.deepEqual(await statusesOf(request), ['pending']);
    assert.ok(await known('test', 'won'), 'whoever repeats the key was told how it ended, and shall be told so again');
  });

  it('leaves a message that goes already', async () => {
    const request = requestWith(null, 'test', [intend('pending')]);
    await begin(request);
    await takeTurns(database, turnsOf(request));
    await database.transaction((tx) => withdrawRequest(tx, request));
    assert.deepEqual(await statusesOf(request), ['transmitting']);
  });
});

describe('an idempotency key', () => {
  it('is not forgotten before its time', async () => {
    await begin(requestWith('fresh'), requestWith('old'));
    await database.query("update idempotency set expires_at = now() where key = 'old'");
    assert.equal(await expireIdempotency(database), 1);
    assert.ok(await known('test', 'fresh'));
  });

  it('whose time is over is free at once, although somebody else keeps its row locked', async () => {
    await begin(requestWith('held'));
    await database.query("update idempotency set expires_at = now() where key = 'held'");
    await database.transaction(async (tx) => {
      await tx.query("select 1 from idempotency where key = 'held' for update");
      let isTold = false;
      const told = known('test', 'held').finally(() => {
        isTold = true;
      });
      await until(async () => isTold || (await countWaitingForLocks(database)) === 1);
      assert.ok(isTold, 'it does not wait');
      assert.equal(await told, undefined);
    });
  });

  it('is claimed in one order with others, so that two nodes that claim the same ones do not wait for each other', async () => {
    const [first, second] = [requestWith('in order 1'), requestWith('in order 2')];
    const claim = (tx: Queryable, request: NewRequest) =>
      commitSends(tx, { begun: [request], settled: [], completed: [] }, 'new');
    const known = await meetLock(database, {
      hold: (tx) => claim(tx, first),
      work: () => begin(requestWith('in order 2'), requestWith('in order 1')),
      meanwhile: async (tx) => assert.deepEqual(await claim(tx, second), new Set(), 'nobody who waits has it'),
    });
    assert.equal(known.size, 2);
  });
});

describe('a turn', () => {
  it('is taken once, by a message that still waits', async () => {
    const request = requestWith(null, 'test', [intend('pending'), intend('pending')]);
    await begin(request);
    const [first, second] = turnsOf(request);
    assert.ok(first && second);
    assert.deepEqual(await takeTurns(database, [first]), new Set([first.messageId]));
    assert.deepEqual(await takeTurns(database, [first, second]), new Set([second.messageId]));
  });
});

describe('an outcome', () => {
  it('fills in the ids that are not known, and changes none that is', async () => {
    const request = requestWith(null, 'test', [intend('pending'), intend('pending')]);
    await begin(request);
    const [known] = request.intended;
    const set = "update message set provider_message_id = 'wamid.known', user_id = 'GB.known' where id = $1";
    await database.query(set, [known?.id]);
    const told = { status: 'accepted', providerMessageId: 'wamid.told', userId: 'GB.told', held: true } as const;
    await settle(request, told, 'any');
    const rows = await database.query(
      'select provider_message_id, user_id, held from message where request_id = $1 order by id = $2',
      [request.id, known?.id],
    );
    assert.deepEqual(rows, [
      { provider_message_id: 'wamid.told', user_id: 'GB.told', held: true },
      { provider_message_id: 'wamid.known', user_id: 'GB.known', held: true },
    ]);
  });

  it('that comes after a report is noted, and does not undo what the report has proven', async () => {
    const error = { code: 'recipient_unreachable' } as const;
    for (const rows of ['any', 'told'] as const)
      for (const reported of ['sent', 'delivered', 'read', 'failed']) {
        const request = requestWith(null, 'test', [intend('pending')]);
        await begin(request);
        const known = { status: reported, error: reported === 'failed' ? error : null };
        const report = 'update message set status = $2::message_status, error = $3 where request_id = $1';
        await database.query(report, [request.id, known.status, known.error && JSON.stringify(known.error)]);
        const told = reported === 'failed' ? { status: 'accepted' as const } : { status: 'failed' as const, error };
        await settle(request, told, rows);
        const [row] = await database.query<{ status: string; error: unknown; outcome: string }>(
          'select status, error, outcome from message where request_id = $1',
          [request.id],
        );
        assert.deepEqual(row, { ...known, outcome: told.status }, `${reported}, ${rows}`);
      }
  });

  it('is written in one order with others, so that who writes the same messages does not wait for it in turn', async () => {
    const [first, second] = [requestWith(null), requestWith(null)];
    await begin(first, second);
    const write = (store: Queryable, ...requests: NewRequest[]) => {
      const settled = requests.flatMap((request) => settledOf(request, {}));
      return commitSends(store, { begun: [], settled, completed: [] }, 'any');
    };
    const written = await meetLock(database, {
      hold: (tx) => write(tx, first),
      work: () => write(database, second, first),
      meanwhile: async (tx) => assert.deepEqual(await write(tx, second), new Set(), 'nobody who waits has written it'),
    });
    assert.equal(written.size, 2);
  });

  it('that comes late does not tell again whom a message was for whose person was erased', async () => {
    for (const rows of ['any', 'told'] as const) {
      const request = requestWith(null, 'test', [intend('pending')]);
      await begin(request);
      await database.query('update message set phone = null, user_id = null where request_id = $1', [request.id]);
      await settle(request, { status: 'accepted', providerMessageId: 'wamid.late', userId: 'GB.late' }, rows);
      assert.deepEqual(
        await database.query('select status, phone, user_id, provider_message_id from message where request_id = $1', [
          request.id,
        ]),
        [{ status: 'accepted', phone: null, user_id: null, provider_message_id: null }],
      );
    }
  });
});

describe('what is asked about a send', () => {
  it('is told of its own messages and requests alone', async () => {
    const requests = [1, 2].map(() => requestWith(null, 'test', [intend('pending')]));
    const [one, other] = requests;
    assert.ok(one && other);
    await begin(one, other);
    const id = one.intended[0]?.id ?? '';
    assert.deepEqual(await findSettled(database, ACCOUNT, [id]), [], 'nothing is settled');
    await settle(one, { status: 'accepted' }, 'any');
    await settle(other, { status: 'accepted' }, 'any');
    assert.deepEqual(
      (await findSettled(database, ACCOUNT, [id])).map((row) => row.id),
      [id],
    );
    assert.deepEqual(await findSettled(database, newId(), [id]), []);
    const settled = settledOf(one, {});
    await database.transaction(async (tx) => {
      assert.deepEqual(await lockRequests(tx, settled), new Set([one.id]));
      const open = 'select id from request where id = any($1) for update skip locked';
      assert.deepEqual(await database.query(open, [[one.id, other.id]]), [{ id: other.id }], 'and holds only this');
    });
  });
});

describe('keys that are looked up together', () => {
  it('are told each at its place, whoever else has the same key and whatever has expired', async () => {
    const other = newId();
    await begin(requestWith('shared'), requestWith('shared', 'live'), requestWith('over'));
    await database.query(`update idempotency set expires_at = now() - interval '1 s' where key = 'over'`);
    const found = await findIdempotency(database, [
      { accountId: ACCOUNT, mode: 'test', key: 'over' },
      { accountId: ACCOUNT, mode: 'live', key: 'shared' },
      { accountId: other, mode: 'live', key: 'shared' },
      { accountId: ACCOUNT, mode: 'test', key: 'shared' },
      { accountId: ACCOUNT, mode: 'live', key: 'shared' },
    ]);
    const [over, live, others, ofTest, again] = found.map((row) => row?.request_id);
    assert.deepEqual([over, others], [undefined, undefined]);
    assert.ok(live !== undefined && ofTest !== undefined && live !== ofTest);
    assert.equal(again, live);
    assert.deepEqual(await database.query(`select key from idempotency where key = 'over'`), []);
  });
});

function requestWith(key: string | null, mode: Mode = 'test', intended = [intend('transmitting')]): NewRequest {
  const idempotency = key === null ? null : { key, bodySha256: Buffer.alloc(32) };
  return newRequest(intended, { accountId: ACCOUNT, mode, idempotency });
}

const intend = (status: IntendedMessage['status']) => intendedMessage({ status });

function begin(...begun: NewRequest[]): Promise<Set<string>> {
  return commitSends(database, { begun, settled: [], completed: [] }, 'new');
}

function complete({ id, mode }: NewRequest, key: string | null, answer: string): Promise<unknown> {
  const replay = key === null ? null : { mode, key, answer };
  return commitSends(database, { begun: [], settled: [], completed: [{ accountId: ACCOUNT, id, replay }] }, 'new');
}

function settle(request: NewRequest, told: Partial<Outcome>, rows: RowsKnown): Promise<unknown> {
  return commitSends(database, { begun: [], settled: settledOf(request, told), completed: [] }, rows);
}

function settledOf({ id: requestId, channelId, mode, intended }: NewRequest, told: Partial<Outcome>) {
  const nothing = { status: 'accepted', providerMessageId: null, userId: null, held: false, error: null } as const;
  const outcome = { ...nothing, at: ANSWERED_AT, ...told };
  const type = 'text' as const;
  return intended.map((message) => ({ accountId: ACCOUNT, requestId, channelId, mode, type, message, outcome }));
}

function turnsOf({ intended }: NewRequest) {
  return intended.map(({ id: messageId }) => ({ accountId: ACCOUNT, messageId }));
}

/** What was begun here and has not ended, in the order of the ids. */
async function running(): Promise<string[]> {
  const rows = await database.query<{ id: string }>('select id from request where completed_at is null order by id');
  return rows.map(({ id }) => id);
}

async function statusesOf({ id }: NewRequest): Promise<string[]> {
  const rows = await database.query<{ status: string }>('select status from message where request_id = $1', [id]);
  return rows.map(({ status }) => status);
}
