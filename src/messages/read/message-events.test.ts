import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import {
  addChannel,
  asSandbox,
  isProcessed,
  lineOf,
  messagesBody,
  postSigned,
  statusOf,
  type TestLine,
  textFrom,
} from '../../../test/support/notifications.ts';
import { undisturbed } from '../../../test/support/undisturbed.ts';
import { until } from '../../../test/support/until.ts';

const DEADLINE_MS = 1_500;
const UNKNOWN_FOR_EVER = '+15552000001';
const REFUSED = '+15550131026';
const MEMBERS = `account_id channel_id client_reference created_at direction error from held id message_id pricing
  reply_to request_id status to type updated_at user_id`.split(/\s+/);

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
type Json = any;

/** A gateway with a log of its own for each test. */
function helpers(gateway: () => TestGateway) {
  const newAccount = async () => {
    const accountId = await gateway().createAccount('Events');
    return { accountId, key: await gateway().createKey({ accountId }), line: await lineOf(gateway(), accountId) };
  };
  const send = async (key: string, to: string[], headers: Record<string, string> = {}): Promise<Json[]> => {
    const body = { to, type: 'text', text: { body: 'Your parcel is here' }, client_reference: 'order-42' };
    const { json, text } = await gateway().call('POST', '/api/v1/messages/send', { key, body, headers });
    assert.ok(json?.results, text);
    return json.results;
  };
  const events = async (key: string, query = ''): Promise<Json[]> =>
    (await gateway().call('GET', `/api/v1/events?limit=100${query}`, { key })).json.data;
  const typesOf = async (key: string, id?: string): Promise<string[]> =>
    (await events(key)).filter(({ data }) => id === undefined || data.message.id === id).map(({ type }) => type);
  const report = async (line: TestLine, value: object) => {
    assert.equal((await postSigned(asSandbox(gateway()), messagesBody(line, value))).status, 200);
    await until(() => isProcessed(gateway()));
  };
  return { newAccount, send, events, typesOf, report };
}

describe('the events of messages', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  });
  after(() => gateway.stop());
  const { newAccount, send, events, typesOf, report } = helpers(() => gateway);
  let serial = 0;
  const freshId = () => `wamid.events.${++serial}`;

  it('are none for what the answer of the send has told', async () => {
    const { key } = await newAccount();
    const entries = await send(key, ['+447700900501', REFUSED, '0770', '+447700900501']);
    assert.deepEqual(
      entries.map(({ status }) => status),
      ['accepted', 'failed', 'failed', 'failed'],
    );
    assert.deepEqual(await typesOf(key), []);
  });

  it('are one message.unknown for every unknown, with its error in full and no content', async () => {
    const { accountId, key } = await newAccount();
    const entries = await send(key, [UNKNOWN_FOR_EVER, '+447700900501', '+15552000004']);
    const told = await events(key);
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.message.id]).toSorted(),
      [entries[0], entries[2]].map(({ id }) => ['message.unknown', id]).toSorted(),
    );
    for (const { data, account_id } of told) {
      const { message } = data;
      assert.deepEqual(Object.keys(data), ['message']);
      assert.deepEqual(Object.keys(message).toSorted(), MEMBERS);
      assert.deepEqual(
        [account_id, message.account_id, message.status, message.client_reference],
        [accountId, accountId, 'unknown', 'order-42'],
      );
      assert.deepEqual(
        [message.error.code, message.error.fault, message.error.retryable],
        ['outcome_unknown', 'provider', false],
      );
      assert.equal(message.error.doc_url, `${gateway.url}/docs/errors/outcome_unknown`);
      const { text, timeline, ...shown } = (await gateway.call('GET', `/api/v1/messages/${message.id}`, { key })).json;
      assert.ok(text && timeline);
      assert.deepEqual(message, shown);
    }
  });

  it('are not raised again by a repeated key', async () => {
    const { key } = await newAccount();
    const headers = { 'idempotency-key': 'again' };
    await send(key, [UNKNOWN_FOR_EVER], headers);
    await send(key, [UNKNOWN_FOR_EVER], headers);
    assert.deepEqual(await typesOf(key), ['message.unknown']);
  });

  it('are one for every step that a notification proves, each as the message was then', async () => {
    const { key, line } = await newAccount();
    const [{ id, message_id: providerId }] = await send(key, ['+447700900502']);
    await report(line, { statuses: [statusOf('sent', { providerId })] });
    const [sent] = await events(key);
    assert.deepEqual([sent.type, sent.data.message.status, sent.data.message.id], ['message.sent', 'sent', id]);
    const pricing = { billable: true, pricing_model: 'PMP', category: 'utility' };
    await report(line, {
      statuses: [statusOf('delivered', { providerId, pricing }), statusOf('read', { providerId })],
    });
    const [first, ...later] = await events(key);
    assert.deepEqual(first, sent, 'an earlier event does not change');
    assert.deepEqual(
      later.map(({ type, data }) => [type, data.message.status]),
      [
        ['message.delivered', 'delivered'],
        ['message.read', 'read'],
      ],
    );
    assert.deepEqual(
      later.map(({ sequence }) => sequence),
      [2, 3],
    );
    assert.deepEqual([first.data.message.pricing, later[1].data.message.pricing.category], [null, 'utility']);
  });

  it('tell the failure that a notification reports, and that it was delivered after all', async () => {
    const { key, line } = await newAccount();
    const [{ message_id: providerId }] = await send(key, ['+447700900503']);
    await report(line, { statuses: [statusOf('failed', { providerId }), statusOf('delivered', { providerId })] });
    const [failed, delivered] = await events(key);
    assert.deepEqual([failed.type, failed.data.message.status], ['message.failed', 'failed']);
    const { code, provider, doc_url: docUrl } = failed.data.message.error;
    assert.deepEqual(
      [code, provider.code, docUrl],
      ['recipient_unreachable', 131026, `${gateway.url}/docs/errors/recipient_unreachable`],
    );
    assert.deepEqual(
      [delivered.type, delivered.data.message.status, delivered.data.message.error],
      ['message.delivered', 'delivered', null],
    );
  });

  it('are part of the trace of their own send', async () => {
    const { accountId, key, line } = await newAccount();
    const traces = ['0af7651916cd43dd8448eb211c80319c', '1bf7651916cd43dd8448eb211c80319d'];
    for (const trace of traces) {
      const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` };
      await send(key, [UNKNOWN_FOR_EVER], headers);
    }
    await report(line, { messages: [textFrom('+447700900510', freshId())] });
    const rows = await gateway.database.query<{ trace: string | null }>(
      'select substr(traceparent, 4, 32) as trace from event where account_id = $1 order by sequence',
      [accountId],
    );
    const told = rows.map(({ trace }) => trace);
    assert.deepEqual(told, [...traces, null]);
  });

  it('are none for what comes twice, late or in words that are not known', async () => {
    const { key, line } = await newAccount();
    const [{ message_id: providerId }] = await send(key, ['+447700900504']);
    for (const status of ['read', 'read', 'delivered', 'sent', 'failed', 'played', 'deleted', 'read'])
      await report(line, { statuses: [statusOf(status, { providerId })] });
    assert.deepEqual(await typesOf(key), ['message.read']);
    const [event] = await events(key);
    assert.deepEqual((await events(key, '&type=message.read'))[0], event);
  });

  it('are the steps alone when a notification settles an unknown', async () => {
    const { key, line } = await newAccount();
    const [{ id }] = await send(key, [UNKNOWN_FOR_EVER]);
    const providerId = freshId();
    await report(line, { statuses: [statusOf('delivered', { providerId, messageId: id })] });
    const [unknown, delivered] = await events(key);
    assert.deepEqual([unknown.type, unknown.data.message.message_id], ['message.unknown', null]);
    assert.deepEqual(
      [delivered.type, delivered.data.message.message_id, delivered.data.message.error],
      ['message.delivered', providerId, null],
    );
  });

  it('are the steps when a refused message was sent all the same', async () => {
    const { key, line } = await newAccount();
    const [{ id }] = await send(key, [REFUSED]);
    await report(line, { statuses: [statusOf('sent', { providerId: freshId(), messageId: id })] });
    assert.deepEqual(await typesOf(key), ['message.sent']);
  });

  it('are one message.received with its content for what a person writes, however often it is told', async () => {
    const { accountId, key, line } = await newAccount();
    const message = textFrom('+447700900505', freshId());
    await report(line, { messages: [message, message] });
    await report(line, { messages: [message] });
    const [received, ...more] = await events(key);
    assert.deepEqual(more, []);
    const { message: told } = received.data;
    assert.deepEqual(Object.keys(told).toSorted(), [...MEMBERS, 'profile', 'text'].toSorted());
    assert.deepEqual(
      [received.type, told.status, told.direction, told.from, told.account_id],
      ['message.received', 'received', 'inbound', '+447700900505', accountId],
    );
    assert.deepEqual(told.text, { body: 'Hello' });
  });

  it('name the number that each message came for, where the account has several', async () => {
    const { accountId, key, line } = await newAccount();
    const other = { ...line, phoneNumberId: '5550195', phoneNumber: '+15550000195' };
    await addChannel(gateway, { ...other, accountId, mode: 'test' });
    for (const number of [line, other]) await report(number, { messages: [textFrom('+447700900509', freshId())] });
    const told = (await events(key)).map(({ data }) => data.message.to);
    assert.deepEqual(told, [line.phoneNumber, other.phoneNumber]);
  });

  it('of several accounts in one notification stand in the log of each', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    const bodies = [one, other].map(
      ({ line }) => messagesBody(line, { messages: [textFrom('+447700900506', freshId())] }) as Json,
    );
    const body = { ...bodies[0], entry: bodies.flatMap(({ entry }) => entry) };
    assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
    await until(() => isProcessed(gateway));
    for (const { accountId, key } of [one, other])
      assert.deepEqual(
        (await events(key)).map(({ sequence, account_id }) => [sequence, account_id]),
        [[1, accountId]],
      );
  });
});

describe('the events of a late answer', () => {
  let gateway: TestGateway;
  before(async () => {
    const settings = { WAYPOST_SEND_DEADLINE_MS: String(DEADLINE_MS), WAYPOST_PROVIDER_TIMEOUT_MS: '8000' };
    gateway = await startTestGateway({ settings, sandbox: { latencyMs: 2 * DEADLINE_MS, statuses: 'off' } });
  });
  after(() => gateway.stop());
  const { newAccount, send, events, typesOf, report } = helpers(() => gateway);

  it('are message.accepted or message.failed, after the unknown', () =>
    undisturbed(async () => {
      const { key, line } = await newAccount();
      const [accepted, failed] = await send(key, ['+447700900507', REFUSED]);
      assert.deepEqual([accepted.status, failed.status], ['unknown', 'unknown']);
      await until(async () => (await events(key)).length === 4);
      assert.deepEqual(await typesOf(key, accepted.id), ['message.unknown', 'message.accepted']);
      assert.deepEqual(await typesOf(key, failed.id), ['message.unknown', 'message.failed']);
      const [taken] = await events(key, '&type=message.accepted');
      assert.match(taken.data.message.message_id, /^wamid\./);
      assert.equal(taken.data.message.error, null);
      const [refused] = await events(key, '&type=message.failed');
      assert.equal(refused.data.message.error.code, 'recipient_unreachable');
      const after = statusOf('sent', { providerId: 'wamid.after-all', messageId: failed.id });
      await report(line, { statuses: [after, after] });
      const told = ['message.unknown', 'message.failed', 'message.sent'];
      assert.deepEqual(await typesOf(key, failed.id), told, 'a refusal that came late is no report of a failure');
    }));

  it('do not keep back that of a failure which is reported after a refusal, beside what is known', () =>
    undisturbed(async () => {
      const { key, line } = await newAccount();
      const [{ id }] = await send(key, [REFUSED]);
      await until(async () => (await events(key, '&type=message.failed')).length === 1);
      const [sent, failed] = ['sent', 'failed'].map((status) =>
        statusOf(status, { providerId: 'wamid.failed-after-all', messageId: id }),
      );
      await report(line, { statuses: [sent] });
      await report(line, { statuses: [sent, failed] });
      const told = ['message.unknown', 'message.failed', 'message.sent', 'message.failed'];
      assert.deepEqual(await typesOf(key, id), told);
    }));

  it('are none when a notification was quicker', () =>
    undisturbed(async () => {
      const { key, line } = await newAccount();
      const [{ id }] = await send(key, ['+447700900508']);
      await report(line, { statuses: [statusOf('sent', { providerId: 'wamid.quicker', messageId: id })] });
      const timeline = async (): Promise<{ status: string; note: string | null }[]> =>
        (await gateway.call('GET', `/api/v1/messages/${id}`, { key })).json.timeline;
      await until(async () => (await timeline()).length === 3);
      const steps = (await timeline()).map(({ status, note }) => `${status} ${note}`);
      assert.deepEqual(steps, ['unknown null', 'sent null', 'accepted late']);
      assert.deepEqual(await typesOf(key), ['message.unknown', 'message.sent']);
    }));
});

describe('the events of the sandbox', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({ callback: true, sandbox: { timeScale: 20 } });
  });
  after(() => gateway.stop());
  const { newAccount, send, typesOf } = helpers(() => gateway);
  const CASES: Record<string, string[]> = {
    '+447700900509': ['sent', 'delivered', 'read'],
    '+15551131026': ['failed'],
    '+15552000002': ['unknown', 'sent', 'delivered', 'read'],
    '+15552000006': ['sent', 'delivered', 'read'],
    '+15552000007': ['read'],
    '+15552000008': ['read'],
    '+15552000009': ['delivered'],
    '+15552000013': ['failed'],
  };
  for (const [to, types] of Object.entries(CASES))
    it(`of ${to} are ${types.join(', ')}`, async () => {
      const { key } = await newAccount();
      const [{ id }] = await send(key, [to]);
      const path = `/api/v1/messages/${id}`;
      // What comes twice or late stands in the history, too: by then nothing more is to come.
      const reports: Record<string, number> = { '+15552000006': 7, '+15552000007': 4 };
      const steps = reports[to] ?? types.filter((type) => type !== 'unknown').length + 1;
      await until(async () => (await gateway.call('GET', path, { key })).json.timeline.length >= steps);
      assert.deepEqual(
        await typesOf(key, id),
        types.map((type) => `message.${type}`),
      );
    });
});
