import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import type { AttemptRow } from '../../src/endpoints/deliver/attempt-store.ts';
import { listEvents } from '../../src/events/store.ts';
import { newId } from '../../src/kernel/ids.ts';
import { until } from '../support/until.ts';
import { type Harness, startHarness, type TestEndpoint } from './harness.ts';
import { type Answering, type Receiver, startReceiver } from './receiver.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
/** The jitter of the shortest wait, and the time from the end of an attempt to its commit on a busy machine. */
const LATER_SECONDS_MAX = 30;

describe('a delivery', () => {
  let harness: Harness;
  const receivers: Receiver[] = [];
  before(async () => {
    harness = await startHarness();
  });
  after(async () => {
    await harness.stop();
    await Promise.all(receivers.map((receiver) => receiver.close()));
  });

  /** A new account with one endpoint that answers like this. */
  async function endpointThat(answer?: Answering, wish: { types?: string[]; mode?: 'live' | 'test' } = {}) {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    const endpoint = await harness.addEndpoint(receiver.url, { accountId: newId(), ...wish });
    return { receiver, endpoint };
  }
  const record = (endpoint: TestEndpoint, count = 1, traceparent?: string) =>
    harness.record(count, { accountId: endpoint.accountId, ...(traceparent !== undefined && { traceparent }) });
  const waitingOf = async ({ id }: TestEndpoint) => {
    return harness.database.query('select 1 from delivery where endpoint_id = $1', [id]);
  };
  const eventsOf = ({ accountId }: TestEndpoint) =>
    listEvents(harness.database, { accountId, mode: 'test', after: 0, types: null, limit: 100 });

  it('arrives signed so that both public libraries verify it', async () => {
    const { receiver, endpoint } = await endpointThat();
    await record(endpoint);
    const { body, headers } = await until(() => receiver.received[0]);
    assert.doesNotThrow(() => new Webhook(endpoint.secret).verify(body, headers));
    assert.doesNotThrow(() => new SvixWebhook(endpoint.secret).verify(body, headers));
    assert.throws(() => new Webhook(endpoint.secret).verify(`${body} `, headers));
    const event = JSON.parse(body);
    assert.equal(event.id, headers['webhook-id']);
    assert.equal(event.type, 'message.delivered');
    assert.equal(event.sequence, 1);
    assert.deepEqual(event.data, { message: { id: 'msg_1', text: 'äöü €' } });
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['user-agent'], 'Waypost');
    assert.equal(headers.traceparent, undefined);
    const [attempt] = await harness.attemptsOf(endpoint, 1);
    assert.equal(attempt?.outcome, 'succeeded');
    assert.equal(attempt?.http_status, 204);
    assert.equal(attempt?.next_at, null);
    assert.deepEqual(await waitingOf(endpoint), []);
  });

  it('goes to all of its URL, the query as well', async () => {
    const asked: (string | undefined)[] = [];
    const receiver = await startReceiver((response, _place, { url }) => {
      asked.push(url);
      response.writeHead(204).end();
    });
    receivers.push(receiver);
    await record(await harness.addEndpoint(`${receiver.url}?tenant=a%20b&for=7`, { accountId: newId() }));
    assert.equal(await until(() => asked[0]), '/hook?tenant=a%20b&for=7');
  });

  it('carries on the trace of the request that it follows from, with a parent of its own', async () => {
    const { receiver, endpoint } = await endpointThat();
    await record(endpoint, 1, TRACE);
    const { headers } = await until(() => receiver.received[0]);
    assert.match(headers.traceparent ?? '', /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    assert.notEqual(headers.traceparent, TRACE);
  });

  it('is tried again after a failure with the same id and the same bytes, and a new time and signature', async () => {
    const { receiver, endpoint } = await endpointThat((response, place) =>
      response.writeHead(place === 0 ? 500 : 200).end(),
    );
    await record(endpoint);
    const [failed] = await harness.attemptsOf(endpoint, 1);
    assert.deepEqual([failed?.outcome, failed?.http_status, failed?.error, failed?.number], ['failed', 500, null, 1]);
    assertWaits(failed, 5);
    await until(() => receiver.received[0] && Date.now() - receiver.received[0].atMs > 1_100);
    await harness.skipWaits();
    const [, second] = await harness.attemptsOf(endpoint, 2);
    assert.deepEqual([second?.outcome, second?.number], ['succeeded', 2]);
    const [one, two] = receiver.received;
    assert.equal(one?.body, two?.body);
    assert.equal(one?.headers['webhook-id'], two?.headers['webhook-id']);
    assert.notEqual(one?.headers['webhook-timestamp'], two?.headers['webhook-timestamp']);
    assert.doesNotThrow(() => new Webhook(endpoint.secret).verify(two?.body ?? '', two?.headers ?? {}));
  });

  it('is given up after ten tries', async () => {
    const { receiver, endpoint } = await endpointThat((response) => response.writeHead(503).end('busy'));
    await record(endpoint);
    for (let count = 1; count <= 10; count += 1) {
      const rows = await harness.attemptsOf(endpoint, count);
      assert.equal(rows.at(-1)?.next_at === null, count === 10);
      await harness.skipWaits();
    }
    assert.deepEqual(await waitingOf(endpoint), []);
    assert.equal(receiver.received.length, 10);
    assert.deepEqual(
      (await harness.attempts(endpoint)).map(({ number }) => number),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
  });

  for (const [what, text, seconds] of [
    ['seconds', () => '120', 120],
    // A date has whole seconds.
    ['a date', () => new Date(Date.now() + 600_000).toUTCString(), 599],
    ['a year', () => '31536000', 86_400],
    ['no time', () => 'soon', 5],
    ['given twice', () => ['60', '120'], 120],
  ] as const) {
    it(`waits as an answer of 429 asks for whose Retry-After is ${what}`, async () => {
      const { endpoint } = await endpointThat((response) =>
        response.setHeader('retry-after', text()).writeHead(429).end(),
      );
      await record(endpoint);
      const [attempt] = await harness.attemptsOf(endpoint, 1);
      assert.equal(attempt?.http_status, 429);
      assertWaits(attempt, seconds);
    });
  }

  it('whose attempt cannot be written down is left to its claim, and ends nothing', async () => {
    const [lost, next] = [await endpointThat(), await endpointThat()];
    const { database } = harness;
    const script = (text: string) => database.transaction((tx) => tx.runScript(text));
    await script(`
      create sequence lost;
      create function lose() returns trigger language plpgsql as $$ begin
        perform nextval('lost');
        raise exception 'in a circle' using errcode = 'deadlock_detected'; end $$;
      create trigger lose before insert on attempt for each row when (new.endpoint_id = '${lost.endpoint.id}')
        execute function lose()`);
    await record(lost.endpoint);
    await until(
      async () => (await database.query<{ tries: number }>('select last_value as tries from lost'))[0]?.tries === 3,
    );
    await record(next.endpoint);
    await harness.attemptsOf(next.endpoint, 1);
    assert.equal((await waitingOf(lost.endpoint)).length, 1);
    await script('drop function lose cascade; drop sequence lost');
  });

  it('follows no redirect', async () => {
    const elsewhere = await startReceiver();
    receivers.push(elsewhere);
    const { endpoint } = await endpointThat((response) => response.writeHead(307, { location: elsewhere.url }).end());
    await record(endpoint);
    const [attempt] = await harness.attemptsOf(endpoint, 1);
    assert.deepEqual([attempt?.outcome, attempt?.http_status, attempt?.error], ['failed', 307, 'redirect']);
    assert.equal(elsewhere.received.length, 0);
  });

  it('ends with the endpoint disabled when that answers 410, and tells so by an event', async () => {
    const { endpoint } = await endpointThat((response) => response.writeHead(410).end());
    const other = await startReceiver();
    receivers.push(other);
    await harness.addEndpoint(other.url, { accountId: endpoint.accountId, types: ['endpoint.disabled'] });
    await record(endpoint);
    const [attempt] = await harness.attemptsOf(endpoint, 1);
    assert.deepEqual([attempt?.http_status, attempt?.next_at], [410, null]);
    const row = await harness.endpoint(endpoint);
    assert.deepEqual([row?.enabled, row?.disabled_reason], [false, 'gone']);
    const told = await until(() => other.received[0]);
    assert.equal(JSON.parse(told.body).data.endpoint.disabled_reason, 'gone');
    assert.doesNotMatch(told.body, /secret|whsec_/);
    await record(endpoint);
    assert.equal((await eventsOf(endpoint)).length, 3);
    await harness.skipWaits();
    assert.equal((await harness.attempts(endpoint)).length, 1);
  });

  it('disables an endpoint that had no success for five days, at the next failure and not before', async () => {
    const { endpoint } = await endpointThat((response) => response.writeHead(500).end());
    const age = (days: number) =>
      harness.database.query('update endpoint set failing_since = now() - make_interval(days => $2) where id = $1', [
        endpoint.id,
        days,
      ]);
    await record(endpoint);
    await harness.attemptsOf(endpoint, 1);
    await age(4);
    await harness.skipWaits();
    await harness.attemptsOf(endpoint, 2);
    assert.equal((await harness.endpoint(endpoint))?.enabled, true);
    await age(5);
    await harness.skipWaits();
    const row = await until(async () => {
      const now = await harness.endpoint(endpoint);
      return now?.enabled === false ? now : undefined;
    });
    assert.equal(row.disabled_reason, 'failing');
    assert.deepEqual(
      (await eventsOf(endpoint)).map(({ type }) => type),
      ['message.delivered', 'endpoint.disabled'],
    );
  });

  it('that succeeds begins the five days anew', async () => {
    let status = 500;
    const { endpoint } = await endpointThat((response) => response.writeHead(status).end());
    await record(endpoint);
    await harness.attemptsOf(endpoint, 1);
    await harness.database.query("update endpoint set failing_since = now() - interval '9 days' where id = $1", [
      endpoint.id,
    ]);
    status = 200;
    await harness.skipWaits();
    await harness.attemptsOf(endpoint, 2);
    status = 500;
    await record(endpoint);
    await harness.attemptsOf(endpoint, 3);
    assert.equal((await harness.endpoint(endpoint))?.enabled, true);
  });

  it('is made only of the types that the endpoint wants, and of its mode', async () => {
    const { receiver, endpoint } = await endpointThat(undefined, { types: ['message.read'] });
    await record(endpoint);
    await harness.record(1, { accountId: endpoint.accountId, mode: 'live', type: 'message.read' });
    await harness.record(1, { accountId: endpoint.accountId, type: 'message.read' });
    await harness.attemptsOf(endpoint, 1);
    assert.deepEqual(
      receiver.received.map(({ body }) => JSON.parse(body).type),
      ['message.read'],
    );
    assert.deepEqual(await waitingOf(endpoint), []);
  });

  it('is signed with both secrets while one replaces the other, and with the new one alone afterwards', async () => {
    const { receiver, endpoint } = await endpointThat();
    const { database, sealer } = harness;
    const fresh = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await database.query(
      `update endpoint set previous_secret_sealed = secret_sealed, previous_expires_at = now() + interval '1 day',
       secret_sealed = $2 where id = $1`,
      [endpoint.id, sealer.seal(fresh, endpoint.id)],
    );
    await record(endpoint);
    const both = await until(() => receiver.received[0]);
    for (const secret of [endpoint.secret, fresh]) {
      assert.doesNotThrow(() => new Webhook(secret).verify(both.body, both.headers));
      assert.doesNotThrow(() => new SvixWebhook(secret).verify(both.body, both.headers));
    }
    await database.query('update endpoint set previous_expires_at = now() where id = $1', [endpoint.id]);
    await record(endpoint);
    const alone = await until(() => receiver.received[1]);
    assert.doesNotThrow(() => new Webhook(fresh).verify(alone.body, alone.headers));
    assert.throws(() => new Webhook(endpoint.secret).verify(alone.body, alone.headers));
  });

  it('keeps the first 2,048 bytes of an answer as text, whatever they are', async () => {
    const bytes = Buffer.concat([Buffer.from([0, 255]), Buffer.from('€'.repeat(2_000))]);
    const { endpoint } = await endpointThat((response) => response.writeHead(200).end(bytes));
    await record(endpoint);
    const [attempt] = await harness.attemptsOf(endpoint, 1);
    assert.equal(attempt?.outcome, 'succeeded');
    assert.equal(attempt?.answer, `\ufffd\ufffd${'€'.repeat(682)}`);
  });

  it('of every event arrives once each when all goes well, however many come at once', async () => {
    const { receiver, endpoint } = await endpointThat();
    await record(endpoint, 1_500);
    await until(async () => receiver.received.length >= 1_500 && (await waitingOf(endpoint)).length === 0);
    const sequences = receiver.received.map(({ body }) => JSON.parse(body).sequence).sort((a, b) => a - b);
    assert.deepEqual(
      sequences,
      Array.from({ length: 1_500 }, (_, place) => place + 1),
    );
    assert.equal((await harness.attempts(endpoint)).length, 1_500);
  });
});

/** Goes by the time that is stored, so that it does not matter how long the test took to look. */
function assertWaits(attempt: AttemptRow | undefined, seconds: number): void {
  assert.ok(attempt?.next_at);
  const endedMs = attempt.at.getTime() + attempt.duration_ms;
  const waitSeconds = (attempt.next_at.getTime() - endedMs) / 1_000;
  assert.ok(waitSeconds > seconds - 0.1 && waitSeconds < seconds + LATER_SECONDS_MAX, `${waitSeconds} s`);
}
