import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { EventDraft } from '../../src/events/event.ts';
import { appendEvents } from '../../src/events/store.ts';
import type { Transaction } from '../../src/store/database.ts';
import { undisturbed } from '../support/undisturbed.ts';
import { until } from '../support/until.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';
import { type EndpointApi, startEndpointApi } from './api.ts';
import { type Harness, startHarness } from './harness.ts';
import { type Answering, type Receiver, startReceiver } from './receiver.ts';

const PATH = '/api/v1/endpoints';
/** What is given back is there for others at once. What is not is there when its claim ends by itself, after 45 s. */
const BEFORE_THE_CLAIM_ENDS_MS = 30_000;

let harness: Harness;
let api: EndpointApi;
const receivers: Receiver[] = [];
before(async () => {
  harness = await startHarness();
  api = await startEndpointApi(harness);
});
after(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await api.stop();
  await harness.stop();
});

async function receive(answer?: Answering): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

/** An account with an endpoint at a customer's server of its own. */
async function customer(answer?: Answering) {
  const { key, principal } = api.key();
  const { accountId } = principal;
  const receiver = await receive(answer);
  const created = await api.call(key, 'POST', PATH, { body: { url: receiver.url } });
  const { id, secret } = created.json;
  const path = `${PATH}/${id}`;
  const read = async () => (await api.call(key, 'GET', path)).json;
  const call = (method: string, suffix = '', body?: object) => api.call(key, method, path + suffix, { body });
  return { key, accountId, receiver, secret, read, call };
}

type Call = Awaited<ReturnType<typeof customer>>['call'];

describe('what is recorded while an endpoint is made or turned on', () => {
  const draft = (accountId: string): EventDraft => {
    return { accountId, mode: 'test', type: 'message.delivered', data: { message: {} }, traceparent: null };
  };
  const sequences = ({ received }: { received: { body: string }[] }) =>
    received.map(({ body }) => JSON.parse(body).sequence).sort();

  /** Asks for `change` while one writer has its number and holds the log, and a second one waits for it. Ends both afterwards. */
  async function betweenWriters<Result>(accountId: string, change: () => Promise<Result>): Promise<Result> {
    const waiting = await countWaitingForLocks(harness.database);
    const record = (tx: Transaction) => appendEvents(tx, [draft(accountId)]);
    const held = Promise.withResolvers<void>();
    const numbered = Promise.withResolvers<void>();
    const first = harness.database.transaction(async (tx) => {
      await record(tx);
      numbered.resolve();
      await held.promise;
    });
    await numbered.promise;
    const second = harness.database.transaction(record);
    try {
      await until(async () => (await countWaitingForLocks(harness.database)) === waiting + 1);
      const changed = change();
      await until(async () => (await countWaitingForLocks(harness.database)) === waiting + 2);
      return changed;
    } finally {
      held.resolve();
      await Promise.all([first, second]);
      harness.deliveries.nudge();
    }
  }

  it('reaches a new one from the moment on in which its creation is answered', async () => {
    const { key, principal } = api.key();
    const { accountId } = principal;
    const receiver = await receive();
    const created = await betweenWriters(accountId, () => api.call(key, 'POST', PATH, { body: { url: receiver.url } }));
    assert.equal(created.status, 201);
    await harness.record(1, { accountId });
    await until(() => sequences(receiver).includes(3));
  });

  it('reaches one that is turned on, or is there for a replay that is asked for then', async () => {
    const { accountId, call, receiver } = await customer();
    await call('PATCH', '', { enabled: false });
    await betweenWriters(accountId, () => call('PATCH', '', { enabled: true }));
    await call('POST', '/replay', { after_sequence: 0 });
    await until(() => new Set(sequences(receiver)).size === 2);
  });

  it('reaches every new one that is made under load, from the number on that is the last then', async () => {
    const { key, principal } = api.key();
    const { accountId } = principal;
    // Nobody listens at these addresses, so what is enqueued stays enqueued.
    await api.call(key, 'POST', PATH, { body: { url: 'http://127.0.0.1:9/first' } });
    let busy = true;
    const write = async () => {
      while (busy) await harness.database.transaction((tx) => appendEvents(tx, new Array(20).fill(draft(accountId))));
    };
    const writers = [write(), write(), write()];
    const made: { id: string; last: number }[] = [];
    while (made.length < 10) {
      const { json } = await api.call(key, 'POST', PATH, { body: { url: 'http://127.0.0.1:9/hook' } });
      const [log] = await harness.database.query<{ last: number }>(
        'select last from event_sequence where account_id = $1',
        [accountId],
      );
      made.push({ id: json.id, last: log?.last ?? 0 });
    }
    busy = false;
    await Promise.all(writers);
    const [missing] = await harness.database.query<{ count: number }>(
      `select count(*) as count from endpoint e join event v on v.account_id = e.account_id
       join unnest($2::timestamptz[], $3::bigint[]) as m(made_at, last) on m.made_at = e.created_at and v.sequence > m.last
       where e.account_id = $1 and not exists (
         select from delivery d where d.account_id = $1 and d.endpoint_id = e.id and d.event_id = v.id)`,
      [accountId, await createdAt(made), made.map(({ last }) => last)],
    );
    assert.equal(missing?.count, 0);
    // Thousands, which would be tried beside the tests that follow.
    await harness.database.query('delete from delivery where account_id = $1', [accountId]);
  });

  async function createdAt(made: readonly { id: string }[]) {
    const rows = await harness.database.query<{ created_at: string }>(
      `select created_at::text from endpoint where url like '%:9/hook' order by id`,
    );
    assert.equal(rows.length, made.length);
    return rows.map(({ created_at }) => created_at);
  }
});

describe('a change of an endpoint', () => {
  it('is not undone by what its old address answers: a 410 there disables nothing here', async () => {
    const held: ServerResponse[] = [];
    const { accountId, call, read } = await customer((response) => held.push(response));
    await harness.record(1, { accountId });
    await until(() => held.length === 1);
    const elsewhere = await receive();
    await call('PATCH', '', { url: elsewhere.url });
    held[0]?.writeHead(410).end();
    await until(async () => (await call('GET', '/attempts')).json.data.length === 1);
    assert.equal((await read()).enabled, true);
  });

  const others = [
    ['its description', (call: Call) => call('PATCH', '', { description: 'Orders' })],
    ['nothing', (call: Call) => call('PATCH', '', {})],
    ['its secret', (call: Call) => call('POST', '/rotate-secret', { overlap_seconds: 0 })],
  ] as const;
  for (const [what, change] of others)
    it(`of ${what} during an attempt takes nothing from what it tells: a 410 disables, a success ends the failing`, async () => {
      const held: ServerResponse[] = [];
      const { accountId, call, read } = await customer((response) => held.push(response));
      const { database } = harness;
      await database.query("update endpoint set failing_since = now() - interval '9 days' where account_id = $1", [
        accountId,
      ]);
      for (const [place, status] of [204, 410].entries()) {
        await harness.record(1, { accountId });
        await until(() => held.length === place + 1);
        assert.equal((await change(call)).status, 200);
        held[place]?.writeHead(status).end();
        await until(async () => (await call('GET', '/attempts')).json.data.length === place + 1);
        const [row] = await database.query('select failing_since from endpoint where account_id = $1', [accountId]);
        if (status === 204) assert.deepEqual(row, { failing_since: null });
      }
      const { enabled, disabled_reason } = await read();
      assert.deepEqual({ enabled, disabled_reason }, { enabled: false, disabled_reason: 'gone' });
    });

  it('to off and on again is not undone by a 410 to what began before', async () => {
    const held: ServerResponse[] = [];
    const { accountId, call, read } = await customer((response) => held.push(response));
    await harness.record(1, { accountId });
    await until(() => held.length === 1);
    for (const enabled of [false, true]) await call('PATCH', '', { enabled });
    held[0]?.writeHead(410).end();
    await until(async () => (await call('GET', '/attempts')).json.data.length === 1);
    assert.equal((await read()).enabled, true);
  });

  /** So many attempts must succeed in a row before as many events are held in memory. */
  const ARRIVED = 60;
  /** What the endpoint has been sent before the change: those, and ten more that are under way. */
  const TAKEN = ARRIVED + 10;

  /**
   * A customer with ten attempts under way, and fifty more events in the gateway's memory. It holds so many only where attempts were quick,
   * so another customer is tried if the machine stood still.
   */
  const busyCustomer = () => undisturbed(tryBusyCustomer);

  async function tryBusyCustomer() {
    const held: ServerResponse[] = [];
    let holding = false;
    const one = await customer((response) => {
      if (holding) held.push(response);
      else response.writeHead(204).end();
    });
    const count = async (condition: string) => {
      const text = `select count(*) as count from delivery where account_id = $1 and ${condition}`;
      return (await harness.database.query<{ count: number }>(text, [one.accountId]))[0]?.count;
    };
    await harness.record(ARRIVED, { accountId: one.accountId });
    await until(async () => (await count('true')) === 0);
    holding = true;
    await harness.record(60, { accountId: one.accountId });
    await until(() => held.length === 10);
    await until(async () => (await count('claimed_until > now()')) === 60, 10_000);
    const release = () => {
      holding = false;
      for (const response of held) response.writeHead(204).end();
    };
    return { ...one, release };
  }

  it('to off lets nothing begin any more', async () => {
    const { call, receiver, release } = await busyCustomer();
    await call('PATCH', '', { enabled: false });
    release();
    await until(async () => (await call('GET', '/attempts?limit=100')).json.data.length === TAKEN);
    assert.equal(receiver.received.length, TAKEN);
  });

  it('to gone lets nothing begin any more', async () => {
    const { accountId, call, receiver, release } = await busyCustomer();
    assert.equal((await call('DELETE')).status, 204);
    release();
    const recorded = 'select count(*) as count from attempt where account_id = $1';
    await until(
      async () => (await harness.database.query<{ count: number }>(recorded, [accountId]))[0]?.count === TAKEN,
    );
    assert.equal(receiver.received.length, TAKEN);
  });

  it('of its address takes what waits there along, also where giving it back meets somebody in a circle', async () => {
    const { accountId, call, receiver, release } = await busyCustomer();
    const elsewhere = await receive();
    const { database } = harness;
    const claimed = await database.query<{ event_id: string }>(
      'select event_id from delivery where account_id = $1 order by event_id',
      [accountId],
    );
    const [first, last] = [claimed.at(-50)?.event_id, claimed.at(-1)?.event_id];
    const lock = 'select 1 from delivery where account_id = $1 and event_id = $2 for update';
    await database.transaction(async (tx) => {
      // So that the server ends the other one of the two transactions.
      await tx.query("set local deadlock_timeout to '20s'");
      await tx.query(lock, [accountId, last]);
      await call('PATCH', '', { url: elsewhere.url });
      await until(async () => (await countWaitingForLocks(database)) > 0);
      await tx.query(lock, [accountId, first]);
    });
    release();
    await until(() => elsewhere.received.length === 50, BEFORE_THE_CLAIM_ENDS_MS);
    assert.equal(receiver.received.length, TAKEN);
  });

  it('of its secret without an overlap lets the old one sign nothing any more', async () => {
    const { call, receiver, release } = await busyCustomer();
    const { secret } = (await call('POST', '/rotate-secret', { overlap_seconds: 0 })).json;
    release();
    await until(() => receiver.received.length === TAKEN + 50);
    for (const { body, headers } of receiver.received.slice(TAKEN)) new Webhook(secret).verify(body, headers);
  });

  it('of its address takes what waits there along, at another node within moments too', async () => {
    const { accountId, receiver, release } = await busyCustomer();
    const elsewhere = await receive();
    // Another node makes the change, so this node is not told.
    const [{ now } = { now: '' }] = await harness.database.query<{ now: string }>(
      `update endpoint set url = $2, version = version + 1 where account_id = $1 returning clock_timestamp()::text as now`,
      [accountId, elsewhere.url],
    );
    const claimedAnew = `select count(*) as count from delivery
      where account_id = $1 and claimed_until > $2::timestamptz + interval '45 seconds'`;
    // It must happen before the attempts under way time out: after these, everything that waits is claimed again in any case.
    await until(async () => {
      const [row] = await harness.database.query<{ count: number }>(claimedAnew, [accountId, now]);
      return row?.count === 50;
    }, 10_000);
    release();
    await until(() => elsewhere.received.length === 50, BEFORE_THE_CLAIM_ENDS_MS);
    assert.equal(receiver.received.length, TAKEN);
  });
});

describe('a replay of what is being tried in this moment', () => {
  for (const before of [8, 9])
    it(`is carried out though that try, the ${before + 1}th, fails`, async () => {
      const held: ServerResponse[] = [];
      const { accountId, call, receiver } = await customer((response, place) => {
        if (place === 0) held.push(response);
        else response.writeHead(204).end();
      });
      await harness.database.transaction(async (tx) => {
        await appendEvents(tx, [
          { accountId, mode: 'test', type: 'message.delivered', data: { message: {} }, traceparent: null },
        ]);
        await tx.query('update delivery set attempts = $2 where account_id = $1', [accountId, before]);
      });
      harness.deliveries.nudge();
      await until(() => held.length === 1);
      assert.deepEqual((await call('POST', '/replay', { after_sequence: 0 })).json, { count: 1 });
      held[0]?.writeHead(500).end();
      await until(() => receiver.received.length === 2);
    });

  it('is carried out though that try, the 1st, succeeds', async () => {
    const held: ServerResponse[] = [];
    const { accountId, call, receiver } = await customer((response, place) => {
      if (place === 0) held.push(response);
      else response.writeHead(204).end();
    });
    await harness.record(1, { accountId });
    await until(() => held.length === 1);
    const event_id = JSON.parse(receiver.received[0]?.body ?? '').id;
    assert.deepEqual((await call('POST', '/replay', { event_id })).json, { count: 1 });
    held[0]?.writeHead(204).end();
    await until(() => receiver.received.length === 2);
    await until(async () => (await waitingOf(accountId)) === 0);
  });

  it('is carried out though that try has succeeded, and is not written down yet', async () => {
    const { accountId, call, receiver } = await customer();
    await harness.database.transaction(async (tx) => {
      // Whoever writes an attempt waits for this lock.
      await tx.query('lock table attempt in share mode');
      await harness.record(1, { accountId });
      await until(() => receiver.received.length === 1);
      await until(async () => (await countWaitingForLocks(harness.database)) >= 1);
      const event_id = JSON.parse(receiver.received[0]?.body ?? '').id;
      assert.deepEqual((await call('POST', '/replay', { event_id })).json, { count: 1 });
    });
    await until(() => receiver.received.length === 2);
    await until(async () => (await waitingOf(accountId)) === 0);
  });

  it('has all its tries, and none of them is skipped when the old one fails after the first of them', async () => {
    const held: ServerResponse[] = [];
    const { accountId, call } = await customer((response, place) => {
      if (place === 0) response.writeHead(204).end();
      else held.push(response);
    });
    // An endpoint that has answered once gets several attempts at a time.
    await harness.record(1, { accountId });
    const tried = async (count: number) => (await call('GET', '/attempts')).json.data.length === count;
    await until(() => tried(1));
    await harness.database.transaction(async (tx) => {
      await appendEvents(tx, [
        { accountId, mode: 'test', type: 'message.delivered', data: { message: {} }, traceparent: null },
      ]);
      await tx.query('update delivery set attempts = 1 where account_id = $1', [accountId]);
    });
    harness.deliveries.nudge();
    await until(() => held.length === 1);
    await call('POST', '/replay', { after_sequence: 1 });
    await until(() => held.length === 2);
    for (const [place, count] of [
      [1, 2],
      [0, 3],
    ] as const) {
      held[place]?.writeHead(500).end();
      await until(() => tried(count));
    }
    const left = await harness.database.query('select attempts from delivery where account_id = $1', [accountId]);
    assert.deepEqual(left, [{ attempts: 1 }]);
  });
});

async function waitingOf(accountId: string): Promise<number> {
  return (await harness.database.query('select 1 from delivery where account_id = $1', [accountId])).length;
}
