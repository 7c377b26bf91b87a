import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { listAccountTables } from '../../src/erasure/account-store.ts';
import { appendEvents, listEvents } from '../../src/events/store.ts';
import { firstIdOfMs, newId } from '../../src/kernel/ids.ts';
import { StoreUnavailable } from '../../src/kernel/store-unavailable.ts';
import type { NewRequest } from '../../src/messages/commit/begin-store.ts';
import { createLedger } from '../../src/messages/commit/ledger.ts';
import { recoverRequests } from '../../src/messages/commit/recover.ts';
import type { Settlement } from '../../src/messages/commit/settlement.ts';
import type { IntendedMessage, Outcome } from '../../src/messages/message.ts';
import { draftMessageEvents } from '../../src/messages/read/message-events.ts';
import { applyReports } from '../../src/messages/report/apply-reports.ts';
import type { StatusReport } from '../../src/messages/report/apply-store.ts';
import type { Database, Transaction } from '../../src/store/database.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { endDeletions } from '../support/erasures.ts';
import { meetLock } from '../support/meet-lock.ts';
import { intendedMessage, newRequest } from '../support/new-request.ts';

const log = pino({ level: 'silent' });
/** Old enough that an erasure no longer waits for what was under way then. */
const BEFORE_THE_ERASURE = firstIdOfMs(Date.now() - 70_000);
const DOCS_URL = 'http://127.0.0.1/docs/errors';

let test: TestDatabase;
let database: Database;
before(async () => {
  test = await createTestDatabase();
  database = test.database;
});
after(() => test.drop());

/** Commits a request that is under way, and belongs to a node of its own. */
async function begin(intended: IntendedMessage[], id = newId()): Promise<NewRequest> {
  const request = newRequest(intended, { id, traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' });
  assert.equal(await createLedger(database, log).begin(request), true);
  return request;
}

const UNKNOWN: Outcome = {
  status: 'unknown',
  providerMessageId: null,
  userId: null,
  held: false,
  error: { code: 'outcome_unknown' },
  at: new Date(),
};
const ACCEPTED: Outcome = { ...UNKNOWN, status: 'accepted', providerMessageId: 'wamid.late', error: null };

function settlement({ accountId, id: requestId, channelId, mode, intended }: NewRequest, outcome: Outcome): Settlement {
  const settled = intended.map((message) => {
    return { accountId, requestId, channelId, mode, type: 'text' as const, message, outcome };
  });
  if (outcome === UNKNOWN)
    return { when: 'end', settled, completed: { accountId, id: requestId, replay: null }, bytes: 0 };
  return { when: 'late', settled, completed: null, bytes: 0 };
}

/** The settlement of a request whose messages have these outcomes. */
function endOf(request: NewRequest, outcomes: readonly Outcome[]): Settlement {
  const { accountId, id } = request;
  const settled = settlement(request, ACCEPTED).settled.map((one, place) => ({
    ...one,
    outcome: outcomes[place] ?? UNKNOWN,
  }));
  return { when: 'end', settled, completed: { accountId, id, replay: null }, bytes: 0 };
}

const typesOf = async ({ accountId }: NewRequest) =>
  (await listEvents(database, { accountId, mode: 'test', after: 0, types: null, limit: 100 })).map(({ type }) => type);
const only = ({ intended: [message] }: NewRequest) => message?.id ?? '';

/** Does in a transaction what a notification does with a status. */
async function report(tx: Transaction, request: NewRequest, status: string): Promise<void> {
  const one: StatusReport = {
    accountId: request.accountId,
    channelId: request.channelId,
    formerChannelIds: [],
    providerMessageId: 'wamid.late',
    messageId: only(request),
    status,
    at: new Date(),
    receivedAt: new Date(),
    error: null,
    pricing: null,
    userId: null,
  };
  const { known, events } = await applyReports(tx, [one]);
  assert.deepEqual(known, [true]);
  await appendEvents(tx, await draftMessageEvents(tx, events));
}

/** A database whose first transactions break, before their commit or after it. */
function breaking(when: 'before' | 'after'): Database {
  let left = 2;
  return {
    ...database,
    async transaction(work, limits) {
      if (left-- <= 0) return database.transaction(work, limits);
      const broken = new StoreUnavailable(new Error('The connection broke'), true);
      await database.transaction(async (tx) => {
        await work(tx);
        if (when === 'before') throw broken;
      }, limits);
      throw broken;
    },
  };
}

describe('the outcome of a send', () => {
  it('raises its events and is noted once, also when its commit was in doubt and is repeated', async () => {
    for (const when of ['before', 'after'] as const) {
      const request = await begin([intendedMessage(), intendedMessage()]);
      const ledger = createLedger(breaking(when), log);
      await ledger.settle(settlement(request, UNKNOWN));
      assert.deepEqual(await typesOf(request), ['message.unknown', 'message.unknown'], when);
      const later = createLedger(breaking(when), log);
      await later.settle(settlement(request, ACCEPTED));
      assert.deepEqual((await typesOf(request)).slice(2), ['message.accepted', 'message.accepted'], when);
      const noted = 'select status, note from timeline where account_id = $1';
      const once = { status: 'accepted', note: null };
      assert.deepEqual(await database.query(noted, [request.accountId]), [once, once], when);
    }
  });

  it('is noted as late, and raises nothing, where a notification has told more before it', async () => {
    const request = await begin([intendedMessage()]);
    const ledger = createLedger(database, log);
    await ledger.settle(settlement(request, UNKNOWN));
    await database.transaction((tx) => report(tx, request, 'delivered'));
    await ledger.settle(settlement(request, ACCEPTED));
    assert.deepEqual(await typesOf(request), ['message.unknown', 'message.delivered']);
    const noted = 'select status, note from timeline where account_id = $1 order by place';
    assert.deepEqual(await database.query(noted, [request.accountId]), [
      { status: 'delivered', note: null },
      { status: 'accepted', note: 'late' },
    ]);
  });

  it('leaves nothing where its account is erased before it can be written', async () => {
    const [request, other] = [await begin([intendedMessage(), intendedMessage()]), await begin([intendedMessage()])];
    const ledger = createLedger(database, log);
    await ledger.settle(settlement(request, UNKNOWN));
    await ledger.settle(settlement(other, UNKNOWN));
    await database.query('insert into account (id, name, deleted_at) values ($1, $2, now())', [
      request.accountId,
      'Gone',
    ]);
    await endDeletions(database);
    // Settled alone, and then together with a request that can be written.
    await ledger.settle(settlement(request, ACCEPTED));
    await Promise.all([request, other, request].map((one) => ledger.settle(settlement(one, ACCEPTED))));
    for (const table of await listAccountTables(database))
      assert.deepEqual(
        await database.query(`select account_id from ${table} where account_id = $1`, [request.accountId]),
        [],
        table,
      );
    assert.deepEqual(await typesOf(other), ['message.unknown', 'message.accepted']);
  });

  it('leaves nothing either where others have settled it and erased its account while this process stood still', async () => {
    const request = await begin([intendedMessage(), intendedMessage()], BEFORE_THE_ERASURE);
    const { accountId, id, nodeId } = request;
    await database.query('insert into account (id, name, deleted_at) values ($1, $2, now())', [accountId, 'Gone']);
    assert.equal(await recoverRequests(database, nodeId, DOCS_URL, log), 1);
    await endDeletions(database);
    const ledger = createLedger(database, log);
    const { settled } = settlement(request, ACCEPTED);
    await ledger.settle({ when: 'meanwhile', settled: settled.slice(0, 1), completed: null, bytes: 0 });
    await ledger.settle({
      when: 'end',
      settled: settled.slice(1),
      completed: { accountId, id, replay: null },
      bytes: 0,
    });
    assert.deepEqual(await database.query('select from message where account_id = $1', [accountId]), []);
  });

  it('is committed and ends its request, however long after the beginning', async () => {
    const request = await begin([intendedMessage()], BEFORE_THE_ERASURE);
    await createLedger(database, log).settle(endOf(request, [ACCEPTED]));
    const ended = `select m.status, r.completed_at is not null as ended from request r join message m on m.request_id = r.id
      where r.account_id = $1 and m.account_id = $1`;
    assert.deepEqual(await database.query(ended, [request.accountId]), [{ status: 'accepted', ended: true }]);
  });

  it('raises no event of what the answer said, also beside what it did not say', async () => {
    const ledger = createLedger(database, log);
    const [late, both, plain] = [
      await begin([intendedMessage()]),
      await begin([intendedMessage(), intendedMessage()]),
      await begin([intendedMessage(), intendedMessage()]),
    ];
    await ledger.settle(settlement(late, UNKNOWN));
    // Both are in one commit. The late answer must be noted in the history of its own message only.
    await Promise.all([
      ledger.settle(settlement(late, ACCEPTED)),
      ledger.settle(endOf(both, [ACCEPTED, UNKNOWN])),
      ledger.settle(endOf(plain, [ACCEPTED, ACCEPTED])),
    ]);
    assert.deepEqual(await typesOf(late), ['message.unknown', 'message.accepted']);
    assert.deepEqual(await typesOf(both), ['message.unknown']);
    assert.deepEqual(await typesOf(plain), []);
    const noted = 'select message_id as id from timeline where message_id = any($1)';
    const ids = [late, both, plain].flatMap(({ intended }) => intended.map(({ id }) => id));
    assert.deepEqual(await database.query(noted, [ids]), [{ id: only(late) }]);
  });

  it('raises none when a notification is committed before it', async () => {
    const request = await begin([intendedMessage()]);
    await database.transaction((tx) => report(tx, request, 'delivered'));
    await createLedger(database, log).settle(settlement(request, UNKNOWN));
    assert.deepEqual(await typesOf(request), ['message.delivered']);
  });

  it('raises none when a notification is being applied in the same moment', async () => {
    const request = await begin([intendedMessage()]);
    const ledger = createLedger(database, log);
    await meetLock(database, {
      hold: (tx) => report(tx, request, 'delivered'),
      work: () => ledger.settle(settlement(request, UNKNOWN)),
    });
    assert.deepEqual(await typesOf(request), ['message.delivered']);
  });

  it('raises message.unknown although a status in words that are not known came first', async () => {
    const request = await begin([intendedMessage()]);
    const ledger = createLedger(database, log);
    await meetLock(database, {
      hold: (tx) => report(tx, request, 'played'),
      work: () => ledger.settle(settlement(request, UNKNOWN)),
    });
    assert.deepEqual(await typesOf(request), ['message.unknown']);
  });

  it('raises message.unknown once when another node recovers the request in the same moment', async () => {
    const request = await begin([intendedMessage()]);
    const ledger = createLedger(database, log);
    await Promise.all([
      ledger.settle(settlement(request, UNKNOWN)),
      recoverRequests(database, request.nodeId, DOCS_URL, log),
    ]);
    assert.deepEqual(await typesOf(request), ['message.unknown']);
    await ledger.settle(settlement(request, UNKNOWN));
    assert.deepEqual(await typesOf(request), ['message.unknown']);
    await ledger.settle(settlement(request, ACCEPTED));
    assert.deepEqual(await typesOf(request), ['message.unknown', 'message.accepted']);
  });
});

describe('the recovery', () => {
  it('raises message.unknown for what was under way and message.failed for what was refused, once', async () => {
    const refused = intendedMessage({ status: 'failed', error: { code: 'sender_suspended' } });
    const request = await begin([intendedMessage(), refused]);
    await Promise.all([1, 2, 3].map(() => recoverRequests(database, request.nodeId, DOCS_URL, log)));
    await recoverRequests(database, request.nodeId, DOCS_URL, log);
    const events = await database.query<{ type: string; traceparent: string | null }>(
      'select type, traceparent from event where account_id = $1',
      [request.accountId],
    );
    assert.deepEqual(events.map(({ type }) => type).toSorted(), ['message.failed', 'message.unknown']);
    assert.ok(events.every(({ traceparent }) => traceparent === request.traceparent));
  });

  it('raises none for what a notification has settled, before it or in the same moment', async () => {
    const settled = await begin([intendedMessage()]);
    await database.transaction((tx) => report(tx, settled, 'read'));
    await recoverRequests(database, settled.nodeId, DOCS_URL, log);
    assert.deepEqual(await typesOf(settled), ['message.read']);

    const settling = await begin([intendedMessage()]);
    await meetLock(database, {
      hold: (tx) => report(tx, settling, 'read'),
      work: () => recoverRequests(database, settling.nodeId, DOCS_URL, log),
    });
    assert.deepEqual(await typesOf(settling), ['message.read']);
  });

  it('raises message.unknown although a status in words that are not known comes in the same moment', async () => {
    const request = await begin([intendedMessage()]);
    await meetLock(database, {
      hold: (tx) => report(tx, request, 'played'),
      work: () => recoverRequests(database, request.nodeId, DOCS_URL, log),
    });
    assert.deepEqual(await typesOf(request), ['message.unknown']);
  });
});
