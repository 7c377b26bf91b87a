import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { intendedMessage } from '../../../test/support/new-request.ts';
import { requestTemplate } from '../../../test/support/request-template.ts';
import { restingTransaction } from '../../../test/support/resting-transaction.ts';
import { until } from '../../../test/support/until.ts';
import { countWaitingForLocks } from '../../../test/support/waiting-for-locks.ts';
import { firstIdOfMs, formatId, newId } from '../../kernel/ids.ts';
import { StoreUnavailable } from '../../kernel/store-unavailable.ts';
import { withinMs } from '../../kernel/within-ms.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { IntendedMessage, Outcome } from '../message.ts';
import { applyReports } from '../report/apply-reports.ts';
import { lockMessages, type StatusReport, unpackMessages } from '../report/apply-store.ts';
import type { NewRequest } from './begin-store.ts';
import { commitSends } from './commit-store.ts';
import { endStrays } from './end-strays.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { recoverRequests } from './recover.ts';
import type { SettledMessage } from './settle-store.ts';

const HUNG_MS = 500;
/** With so many of them nothing more is begun. */
const MANY = 100;
/** What is waited for on a busy machine too, and shorter than a lock after the other. */
const LONG_MS = 30_000;
const log = pino({ level: 'silent' });

let gateway: TestGateway;
let template: NewRequest;
before(async () => {
  gateway = await startTestGateway();
  template = await requestTemplate(gateway);
});
after(() => gateway.stop());

let numbers = 0;
const intend = (status: IntendedMessage['status'] = 'transmitting') =>
  intendedMessage({ phone: `+4477009007${String(++numbers).padStart(2, '0')}`, status });
const plain = { providerMessageId: null, userId: null, held: false, error: null, at: new Date() };
const accepted: Outcome = { ...plain, status: 'accepted', providerMessageId: 'wamid.one' };
const refused: Outcome = { ...plain, status: 'failed', error: { code: 'recipient_unreachable' } };
const unknown: Outcome = { ...plain, status: 'unknown', error: { code: 'outcome_unknown' } };

function settledOf({ accountId, id: requestId, channelId, mode, intended }: NewRequest, outcomes: Outcome[]) {
  return intended.map((message, place): SettledMessage => {
    const outcome = outcomes[place] ?? assert.fail('an outcome for each');
    return { accountId, requestId, channelId, mode, type: 'text', message, outcome };
  });
}

const endOf = (request: NewRequest, outcomes: Outcome[]) => ({
  when: 'end' as const,
  settled: settledOf(request, outcomes),
  completed: { accountId: request.accountId, id: request.id, replay: null },
  bytes: 0,
});

/** An id of that age that no other request has. */
const idOfAge = (ageMs: number) => firstIdOfMs(Date.now() - ageMs).slice(0, 24) + newId().slice(24);

describe('a gateway that was cut off until others took it for gone', () => {
  // By its own clock, which may have stood still with it, hardly any time has passed.
  for (const ageMs of [20_000, 0])
    it(`has the outcomes of a request ${ageMs} ms old told and noted after what the others have told`, async () => {
      const request = { ...template, id: idOfAge(ageMs), intended: [intend(), intend(), intend('pending')] };
      const ledger = createLedger(gateway.database, log);
      await ledger.begin(request);
      await ledger.takeTurn(request.accountId, request.intended[2]?.id ?? '');
      assert.equal(await recoverRequests(gateway.database, request.nodeId, gateway.url, log), 1);
      const outcomes = [accepted, refused, { ...accepted, providerMessageId: 'wamid.waited' }];
      await ledger.settle(endOf(request, outcomes));
      // As after a commit of which nobody knows.
      await ledger.settle(endOf(request, outcomes));

      const { data: events } = (await gateway.call('GET', '/api/v1/events')).json;
      for (const [place, { status }] of outcomes.entries()) {
        const id = formatId('msg', request.intended[place]?.id ?? '');
        const told = events.filter((event: { data: { message: { id: string } } }) => event.data.message.id === id);
        assert.deepEqual(
          told.map(({ type }: { type: string }) => type),
          ['message.unknown', `message.${status}`],
        );
        const { json } = await gateway.call('GET', `/api/v1/messages/${id}`);
        assert.equal(json.status, status);
        assert.deepEqual(
          json.timeline.map((entry: { status: string }) => entry.status),
          ['unknown', status],
        );
      }
    });
});

/** Fails if two transactions of this file have ever waited for each other. */
async function assertNoDeadlock(): Promise<void> {
  await gateway.database.query('select pg_stat_force_next_flush()');
  const select = 'select deadlocks::integer from pg_stat_database where datname = current_database()';
  assert.deepEqual(await gateway.database.query(select), [{ deadlocks: 0 }]);
}

describe('the outcomes of a send', () => {
  for (const status of ['transmitting', 'pending'] as const) {
    it(`and reports of which one is the first of its message do not deadlock, after one that was ${status}`, async () => {
      const { database } = gateway;
      const request = { ...template, id: newId(), intended: [intend(status), intend()] };
      const ledger = createLedger(database, log);
      await ledger.begin(request);
      const [known, first] = request.intended.map(({ id }, place) =>
        reportOn(request, id, `wamid.${request.id}.${place}`),
      );
      assert.ok(known !== undefined && first !== undefined);
      if (status === 'pending') await ledger.takeTurn(request.accountId, known.messageId ?? '');
      await database.transaction((tx) => applyReports(tx, [known]));
      let settling: Promise<void> | undefined;
      await database.transaction((tx) => {
        const query: Queryable['query'] = async (sql, values) => {
          const rows = await tx.query(sql, values);
          if (sql.includes('insert into message') && settling === undefined) {
            const outcomes = [known, first].map(({ providerMessageId }) => ({ ...accepted, providerMessageId }));
            settling = ledger.settle(endOf(request, outcomes));
            await until(async () => (await countWaitingForLocks(database)) === 1);
          }
          return rows as never;
        };
        return applyReports({ query }, [first, { ...known, status: 'delivered' }]);
      });
      assert.ok(settling !== undefined);
      await settling;
      await assertNoDeadlock();
    });
  }
});

function reportOn({ accountId, channelId }: NewRequest, messageId: string, providerMessageId: string): StatusReport {
  const nothing = { formerChannelIds: [], error: null, pricing: null, userId: null };
  return {
    ...nothing,
    accountId,
    channelId,
    providerMessageId,
    messageId,
    status: 'sent',
    at: new Date(),
    receivedAt: new Date(),
  };
}

describe('outcomes of which some are told', () => {
  it('and reports on the same messages wait for one another in one order', async () => {
    const { database } = gateway;
    const request = { ...template, id: newId(), intended: [intend(), intend()] };
    await createLedger(database, log).begin(request);
    const messages = request.intended.map(({ id }) => ({ accountId: request.accountId, id }));
    // Both were reported before the send's own outcome: they have rows.
    const { accountId, channelId } = request;
    await unpackMessages(
      database,
      messages.map(({ id: messageId }) => ({ accountId, channelId, messageId })),
    );
    let reporting: Promise<unknown> | undefined;
    const beside: Database = {
      ...database,
      transaction: (work, limits) =>
        database.transaction((tx) => {
          const query: Queryable['query'] = async (sql, values) => {
            const rows = await tx.query(sql, values);
            if (sql.includes('for update of m') && reporting === undefined) {
              reporting = database.transaction((other) => lockMessages(other, messages));
              await until(async () => (await countWaitingForLocks(database)) === 1);
            }
            return rows as never;
          };
          return work({ ...tx, query });
        }, limits),
    };
    await createLedger(beside, log).settle(endOf(request, [accepted, unknown]));
    await reporting;
    await assertNoDeadlock();
  });
});

const runs = async ({ id }: NewRequest) =>
  (await gateway.database.query('select 1 from request where id = $1 and completed_at is null', [id])).length === 1;
const endStraysOf = (ledger: Pick<Ledger, 'standingOf'>, { nodeId }: NewRequest, database = gateway.database) =>
  endStrays({ ...{ database, ledger, nodeId, log }, docsUrl: () => `${gateway.url}/docs/errors` });
const underKey = (key: string) => ({ key, bodySha256: Buffer.alloc(32) });

describe('a request of which only the store says that it is under way', () => {
  it('is unknown and keeps its key, unless it is young, or of another node, or was begun and has not ended', async () => {
    const { database } = gateway;
    const ledger = createLedger(database, log);
    const nodeId = newId();
    const begun = (ageMs: number, key: string): NewRequest => ({
      ...{ ...template, id: idOfAge(ageMs), nodeId, intended: [intend('pending'), intend()] },
      idempotency: underKey(key),
    });
    const [forgotten, young, underWay, ofAnother] = [
      begun(60_000, 'forgotten'),
      begun(0, 'young'),
      begun(60_000, 'under way'),
      { ...begun(60_000, 'of another'), nodeId: newId() },
    ];
    await commitSends(database, { begun: [forgotten, young, ofAnother], settled: [], completed: [] }, 'new');
    await ledger.begin(underWay);

    await endStraysOf(ledger, forgotten);
    assert.deepEqual(await Promise.all([forgotten, young, underWay, ofAnother].map(runs)), [false, true, true, true]);
    const statuses = 'select status from message where request_id = $1 order by id';
    assert.deepEqual(await database.query(statuses, [forgotten.id]), [{ status: 'failed' }, { status: 'unknown' }]);
    const kept = await database.query<{ answer: string }>('select answer from idempotency where request_id = $1', [
      forgotten.id,
    ]);
    assert.match(String(kept[0]?.answer), /"status":"failed".*"status":"unknown"/);

    await ledger.settle(endOf(underWay, [refused, accepted]));
    assert.equal(await runs(underWay), false);
    await database.query('delete from request where id = any($1)', [[young.id, ofAnother.id]]);
  });

  it('is not seen in one that ends while it is looked for, whose key goes on replaying', async () => {
    const { database } = gateway;
    const request: NewRequest = {
      ...{ ...template, id: idOfAge(60_000), nodeId: newId(), intended: [intend()] },
      idempotency: underKey('ends meanwhile'),
    };
    const ledger = createLedger(database, log);
    await ledger.begin(request);
    await endStraysOf(ledger, request, {
      ...database,
      query: async (sql, values) => {
        const rows = await database.query(sql, values);
        // Between what the list has found and the moment in which it is known.
        await ledger.settle(endOf(request, [accepted]));
        return rows as never;
      },
    });
    const messages = await database.query('select status from message where request_id = $1', [request.id]);
    assert.deepEqual(messages, [{ status: 'accepted' }]);
    assert.equal(await runs(request), false);
    const kept = await database.query('select 1 from idempotency where request_id = $1', [request.id]);
    assert.equal(kept.length, 1);
  });

  it('is taken back again although somebody keeps a row of another one locked', async () => {
    const { database } = gateway;
    const nodeId = newId();
    const begun = [1, 2, 3].map((): NewRequest => ({ ...template, id: idOfAge(60_000), nodeId, intended: [intend()] }));
    await commitSends(database, { begun, settled: [], completed: [] }, 'new');
    const [first, held, last] = begun.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    assert.ok(first && held && last);
    const takeBack = () => endStraysOf({ standingOf: () => 'taken_back' }, held);
    await database.transaction(async (terminal) => {
      await terminal.query('select 1 from request where id = $1 for update', [held.id]);
      await takeBack();
      assert.deepEqual(await Promise.all([first, held, last].map(runs)), [false, true, false]);
    });
    await takeBack();
    assert.equal(await runs(held), false);
  });
});

describe('a request whose caller was answered before it was handed to the store', () => {
  it('is not begun when the store is back, and the one that was handed over is taken back, as often as it begins', async () => {
    const { database } = gateway;
    await database.query('create table begun_once as select id from request limit 0');
    await database.query(`create function note_begun() returns trigger language plpgsql as $$ begin
      insert into begun_once values (new.id); return new; end $$`);
    await database.query(
      'create trigger note_begun before insert on request for each row execute function note_begun()',
    );
    const ledger = createLedger(database, log);
    const begin = (request: NewRequest) => assert.rejects(ledger.begin(request, HUNG_MS), StoreUnavailable);
    const nodeId = newId();
    const [handed, waiting] = ['handed', 'waiting'].map((key): NewRequest => {
      const intended = [intend('pending'), intend()];
      return { ...template, id: idOfAge(60_000), nodeId, intended, idempotency: underKey(key) };
    });
    assert.ok(handed !== undefined && waiting !== undefined);
    await database.transaction(async (tx) => {
      await tx.query('lock table begun_once in exclusive mode');
      const first = begin(handed);
      await until(async () => (await countWaitingForLocks(database)) === 1);
      await Promise.all([first, begin(waiting)]);
    });
    await ledger.idle();
    assert.deepEqual(await database.query('select distinct id from begun_once'), [{ id: handed.id }]);
    const rest = `select id from request where id = any($1) union all select request_id from message where request_id = any($1)
      union all select request_id from idempotency where request_id = any($1)`;
    assert.deepEqual(await database.query(rest, [[handed.id, waiting.id]]), []);

    // The network held up the bytes of the first attempt.
    await commitSends(database, { begun: [handed], settled: [], completed: [] }, 'new');
    await endStraysOf(ledger, handed);
    assert.deepEqual(await database.query(rest, [[handed.id]]), []);
    await database.query('drop function note_begun cascade');
  });
});

for (const [what, outcome, tries] of [
  ['told in events', unknown, 1],
  ['tried again', accepted, 2],
] as const)
  it(`outcomes that are ${what} are committed although all beside them need rows that somebody keeps locked`, async () => {
    const { database } = gateway;
    const requests = Array.from({ length: 12 }, (): NewRequest => ({ ...template, id: newId(), intended: [intend()] }));
    await commitSends(database, { begun: requests, settled: [], completed: [] }, 'new');
    let left = tries;
    const failing: Database = {
      ...database,
      query: async (sql, values) => {
        if (--left > 0) throw new StoreUnavailable('It took too long', false);
        return database.query(sql, values);
      },
    };
    const ledger = createLedger(failing, log);
    const held = requests.map((request) => endOf(request, [outcome]));
    const free = held.pop() ?? assert.fail();
    let settling: Promise<unknown> = Promise.resolve();
    let soon = '';
    await restingTransaction(database, async (terminal) => {
      const ids = held.map(({ completed }) => completed.id);
      await terminal.query('select 1 from request where id = any($1) for update', [ids]);
      settling = Promise.all(held.map((one) => ledger.settle(one)));
      const settled = ledger.settle(free).then(() => 'settled');
      soon = await withinMs(settled, LONG_MS, () => 'too late');
    });
    await settling;
    assert.equal(soon, 'settled');
  });

it('large sends share no commit, neither when they begin nor when they end, and small ones do', async () => {
  const { database } = gateway;
  const shared: number[] = [];
  const ledger = createLedger(database, log, undefined, (_what, items) => void shared.push(items));
  const bytes = [600_000, 600_000, 1_048_576, 300, 300, 300];
  const requests = bytes.map((bytes): NewRequest => ({ ...template, id: newId(), intended: [intend()], bytes }));
  await Promise.all(requests.map((request) => ledger.begin(request)));
  await Promise.all(requests.map((request) => ledger.settle({ ...endOf(request, [accepted]), bytes: request.bytes })));
  assert.deepEqual(shared, [1, 1, 1, 3, 1, 1, 1, 3]);
});

describe('outcomes that the database refuses for good', () => {
  it('let others be begun while they are few, and nobody once they are many', async () => {
    const { database } = gateway;
    const requests = Array.from(
      { length: MANY },
      (): NewRequest => ({ ...template, id: newId(), intended: [intend()] }),
    );
    const refused = requests.map(({ id }) => `'${id}'`).join(', ');
    await database.query(`create function refuse() returns trigger language plpgsql as $$ begin
      if new.id in (${refused}) then raise exception 'refused' using errcode = '42501'; end if; return new; end $$`);
    await database.query('create trigger refuse before update on request for each row execute function refuse()');
    const ledger = createLedger(database, log);
    try {
      await Promise.all(requests.map((request) => ledger.begin(request)));
      // None of them is ever settled, so each of these promises rejects at `idle`; what becomes of that shows in what may be begun.
      const settle = (request: NewRequest) => void ledger.settle(endOf(request, [accepted])).catch(() => undefined);
      const begins = () =>
        ledger.begin({ ...template, id: newId(), intended: [intend()] }).catch((error: unknown) => error);
      requests.slice(1).forEach(settle);
      assert.equal(await begins(), true);
      requests.slice(0, 1).forEach(settle);
      await until(async () => (await begins()) instanceof StoreUnavailable);
    } finally {
      await ledger.idle();
      await database.query('drop function refuse cascade');
      await database.query('delete from request where completed_at is null');
    }
  });
});
