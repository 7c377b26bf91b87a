import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/server.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { meetLock } from '../../test/support/meet-lock.ts';
import { addChannel } from '../../test/support/notifications.ts';
import { assertProblem, pointersOf } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { formatId, parseId } from '../kernel/ids.ts';
import { createSealer } from '../kernel/sealed.ts';

let provider: Sandbox;
let gateway: TestGateway;
let numbers = 0;
before(async () => {
  provider = await createSandbox({ port: 0, appSecret: 'unused', statuses: 'off' });
  gateway = await startTestGateway({ sandbox: { statuses: 'off' }, settings: { WAYPOST_PROVIDER_URL: provider.url } });
});
after(async () => {
  await gateway.stop();
  await provider.close();
});

const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, path, { key: gateway.platformKey, ...(body !== undefined && { body }) });

async function newAccount() {
  const accountId = await gateway.createAccount('With channels');
  const key = await gateway.createKey({ accountId });
  const list = async () => (await gateway.call('GET', '/api/v1/channels', { key })).json.data;
  const connect = async (wish: object = {}) => {
    const body = {
      phone_number_id: String(7_000 + numbers++),
      business_account_id: '2001',
      display_phone_number: `+1 555-079-${3_000 + numbers}`,
      access_token: 'a-token',
      mode: 'test',
      ...wish,
    };
    return (await call('POST', `/platform/v1/accounts/${accountId}/channels`, body)).json;
  };
  const send = () => {
    const body = { to: '+447700900601', type: 'text', text: { body: 'Hello' } };
    return gateway.call('POST', '/api/v1/messages/send', { key, body });
  };
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
  const events = async (): Promise<any[]> =>
    (await gateway.call('GET', '/api/v1/events?type=channel.updated', { key })).json.data;
  return { accountId, key, list, connect, send, events };
}

describe('changing a channel', () => {
  it('moves the default, and tells of both channels', async () => {
    const { list, connect, events } = await newAccount();
    const [first] = await list();
    const second = await connect();
    const { status, json } = await call('PATCH', `/platform/v1/channels/${second.id}`, { default: true });
    assert.deepEqual([status, json.default, json.id], [200, true, second.id]);
    const told = (await events()).map(({ data }) => [data.channel.id, data.channel.default]);
    assert.deepEqual(told, [
      [first.id, false],
      [second.id, true],
    ]);
    assert.equal((await call('PATCH', `/platform/v1/channels/${second.id}`, { default: true })).status, 200);
  });

  it('takes the default from none but the channel itself where it must not be it', async () => {
    const { list, connect, events } = await newAccount();
    const [first] = await list();
    const second = await connect();
    const change = async (wish: object) => (await call('PATCH', `/platform/v1/channels/${second.id}`, wish)).status;
    assert.deepEqual(
      [await change({ default: false }), await change({ display_phone_number: '+15551234567' })],
      [200, 200],
    );
    const { id } = (await list()).find((channel: { default: boolean }) => channel.default);
    assert.equal(id, first.id);
    assert.deepEqual(
      (await events()).map(({ data }) => data.channel.id),
      [second.id],
    );
  });

  it('leaves one default, however many changes come at once', async () => {
    const { list, connect } = await newAccount();
    const channels = [await connect(), await connect(), await connect()];
    const answers = await Promise.all([
      ...channels.map(({ id }) => call('PATCH', `/platform/v1/channels/${id}`, { default: true })),
      connect({ default: true }).then((json) => ({ status: json.status === 'connected' ? 200 : json })),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.equal((await list()).filter((channel: { default: boolean }) => channel.default).length, 1);
  });

  it('shows the only channel of a mode as its default', async () => {
    const { list, connect } = await newAccount();
    const [first] = await list();
    assert.equal((await call('PATCH', `/platform/v1/channels/${first.id}`, { default: false })).json.default, true);
    const second = await connect();
    assert.deepEqual(
      (await list()).map((channel: { default: boolean }) => channel.default),
      [false, false],
    );
    await call('DELETE', `/platform/v1/channels/${second.id}`);
    assert.deepEqual(
      (await list()).map((channel: { status: string; default: boolean }) => [channel.status, channel.default]),
      [
        ['removed', false],
        ['connected', true],
      ],
    );
  });

  it('of the default is told of the channel that was it before, however that came to be it', async () => {
    const { list, connect, events } = await newAccount();
    const [first] = await list();
    const told = async () => (await events()).map(({ data }) => [data.channel.id, data.channel.default]);
    const second = await connect({ default: true });
    assert.deepEqual(await told(), [[first.id, false]]);
    await call('DELETE', `/platform/v1/channels/${second.id}`);
    assert.deepEqual((await told()).slice(1), [
      [second.id, false],
      [first.id, true],
    ]);
    // It is not marked as the default now; a second one takes that away from it, though nobody made this the default.
    await connect();
    assert.deepEqual((await told()).slice(3), [[first.id, false]]);
  });

  it('changes the number that people see, and nothing where nothing is asked', async () => {
    const { list, events } = await newAccount();
    const [first] = await list();
    assert.equal((await call('PATCH', `/platform/v1/channels/${first.id}`, {})).status, 200);
    assert.deepEqual(await events(), []);
    const path = `/platform/v1/channels/${first.id}`;
    for (const shown of ['+1 (555) 123-4567', '\u202a+1 555-123-4567\u202c', '1 555 123 4567', '15551234567'])
      assert.equal(
        (await call('PATCH', path, { display_phone_number: shown })).json.phone_number,
        '+15551234567',
        JSON.stringify(shown),
      );
    assert.deepEqual(pointersOf(await call('PATCH', path, { display_phone_number: 'none' })), [
      '#/display_phone_number',
    ]);
    assert.deepEqual([...new Set(pointersOf(await call('PATCH', path, { access_token: '', mode: 'live' })))].sort(), [
      '#/access_token',
      '#/mode',
    ]);
  });

  it('that is as wished already tells nobody, and an only channel that is made the default tells so once', async () => {
    const { accountId, list, events } = await newAccount();
    const [first] = await list();
    const path = `/platform/v1/channels/${first.id}`;
    const actions = async () =>
      (await call('GET', `/platform/v1/audit?account_id=${accountId}`)).json.data
        .filter(({ target }: { target: string }) => target === first.id)
        .map(({ action }: { action: string }) => action);
    await gateway.database.query('update channel set is_default = false where id = $1', [uuidOf(first.id)]);
    const { json: before } = await call('PATCH', path, { default: false, display_phone_number: first.phone_number });
    assert.deepEqual([before.default, before.updated_at], [true, first.updated_at]);
    assert.deepEqual([await events(), await actions()], [[], []]);
    const wish = { default: true, display_phone_number: '+15551234567' };
    const { json: changed } = await call('PATCH', path, wish);
    assert.deepEqual((await call('PATCH', path, wish)).json, changed);
    assert.equal((await events()).length, 1);
    assert.deepEqual(await actions(), ['channel.updated']);
  });

  it('with a token that the provider refuses changes nothing', async () => {
    const { list, events } = await newAccount();
    const [first] = await list();
    const answer = await call('PATCH', `/platform/v1/channels/${first.id}`, { access_token: 'refused', default: true });
    assertProblem(answer, 'channel_refused');
    assert.deepEqual([await list(), await events()], [[first], []]);
  });

  it('connects it again after the provider had refused its token, which suspends it with an event', async () => {
    const { accountId, list, send, events, key } = await newAccount();
    const [first] = await list();
    const refusedToken = createSealer(gateway.secrets.masterKey).seal('refused-token', uuidOf(first.id));
    await gateway.database.query('update channel set access_token_sealed = $2 where account_id = $1', [
      accountId,
      refusedToken,
    ]);
    assert.equal((await send()).json.results[0].error.code, 'sender_unauthorized');
    const [event] = await until(async () => {
      const found = await events();
      return found.length > 0 ? found : undefined;
    });
    assert.equal(event.data.channel.status, 'suspended');
    assert.deepEqual(event.data, { channel: (await list())[0] });
    const refused = (await send()).json.results[0];
    assert.deepEqual([refused.status, refused.error.code], ['failed', 'sender_suspended']);
    const answer = await call('PATCH', `/platform/v1/channels/${first.id}`, { access_token: 'a-new-token' });
    assert.deepEqual([answer.status, answer.json.status], [200, 'connected']);
    assert.ok(!answer.text.includes('a-new-token'));
    // What the provider tells of the number when it is shown the token is kept, and told.
    assert.deepEqual([first.quality, answer.json.quality, answer.json.messaging_limit], [null, 'green', 'tier_100k']);
    assert.equal((await send()).json.accepted_count, 1, 'the very next send goes out');
    const { status, quality } = (await events()).at(-1).data.channel;
    assert.deepEqual([status, quality], ['connected', 'green']);
    const audit = await call('GET', `/platform/v1/audit?account_id=${accountId}`);
    assert.deepEqual(audit.json.data[0].target, first.id);
    assert.ok(!audit.text.includes('a-new-token') && key !== '');
  });
});

describe('removing a channel', () => {
  it('keeps its messages, frees its number and forgets its token', async () => {
    const { accountId, key, connect, list, send } = await newAccount();
    const second = await connect({ default: true });
    await until(async () => (await send()).json.results[0].id !== undefined);
    const sent = (await send()).json.results[0];
    const { channel_id: from } = (await gateway.call('GET', `/api/v1/messages/${sent.id}`, { key })).json;
    const answer = await call('DELETE', `/platform/v1/channels/${from}`);
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.equal((await gateway.call('GET', `/api/v1/messages/${sent.id}`, { key })).json.channel_id, from);
    const [row] = await gateway.database.query<{ bytes: number }>(
      'select length(access_token_sealed) as bytes from channel where account_id = $1 and id = $2',
      [accountId, uuidOf(from)],
    );
    assert.equal(row?.bytes, 0);
    for (const wrong of [from, 'chn_01h455vb4pex5vsknk084sn02q', 'chn_', 'x']) {
      assertProblem(await call('DELETE', `/platform/v1/channels/${wrong}`), 'not_found');
      assertProblem(await call('PATCH', `/platform/v1/channels/${wrong}`, { default: true }), 'not_found');
    }
    const removed = (await list()).find(({ id }: { id: string }) => id === from);
    assert.equal(removed.status, 'removed');
    await call('DELETE', `/platform/v1/channels/${second.id}`);
    assert.equal((await connect({ phone_number_id: second.phone_number_id })).status, 'connected');
  });
});

describe('the facts of a number', () => {
  it('are read again when they are due, and a change is told', async () => {
    const accountId = await gateway.createAccount('Live');
    const key = await gateway.createKey({ accountId, mode: 'live' });
    const line = { phoneNumberId: '99001', businessAccountId: '99002', phoneNumber: '+15550990011' };
    const id = await addChannel(gateway, { ...line, accountId, mode: 'live' });
    await gateway.database.query(
      `update channel set quality = 'red', facts_read_at = now() - interval '2 hours' where account_id = $1 and id = $2`,
      [accountId, id],
    );
    const changed = await until(async () => {
      const { json } = await gateway.call('GET', '/api/v1/events', { key });
      return json.data[0];
    });
    assert.equal(changed.type, 'channel.updated');
    const { id: shown, quality, throughput_per_second: throughput, messaging_limit: limit } = changed.data.channel;
    assert.deepEqual([shown, quality, throughput, limit], [formatId('chn', id), 'green', 80, 'tier_100k']);
  });

  it('suspend the channel where the provider refuses its token', async () => {
    const accountId = await gateway.createAccount('Refused');
    const line = { phoneNumberId: '99101', businessAccountId: '99102', phoneNumber: '+15550990111' };
    const id = await addChannel(gateway, { ...line, accountId, mode: 'live' });
    const refused = createSealer(gateway.secrets.masterKey).seal('refused-token', id);
    await gateway.database.query(
      'update channel set access_token_sealed = $3, facts_read_at = null where account_id = $1 and id = $2',
      [accountId, id, refused],
    );
    const key = await gateway.createKey({ accountId, mode: 'live' });
    await until(
      async () => (await gateway.call('GET', '/api/v1/channels', { key })).json.data[0].status === 'suspended',
    );
  });
});

function uuidOf(id: string): string {
  const uuid = parseId('chn', id);
  assert.ok(uuid);
  return uuid;
}

// A notification about both locks the first one before the second one. Whoever did it the other way round would wait with it in a circle.
describe('who waits for the first of two channels of an account has not locked the second one', () => {
  it('while the default moves from the second to the first', async () => {
    const { list, connect } = await newAccount();
    const second = await connect({ default: true });
    const [, first] = await list();
    const path = `/platform/v1/channels/${first.id}`;
    const { status, json } = await meetFirst([first, second], () => call('PATCH', path, { default: true }));
    assert.deepEqual([status, json.default], [200, true]);
  });

  it('while the second is removed, which leaves the first as the default', async () => {
    const { list, connect } = await newAccount();
    const second = await connect({ default: true });
    const [, first] = await list();
    const { status } = await meetFirst([first, second], () => call('DELETE', `/platform/v1/channels/${second.id}`));
    assert.deepEqual([status, (await list()).find(({ id }: { id: string }) => id === first.id).default], [204, true]);
  });

  function meetFirst<Result>(channels: { id: string }[], work: () => Promise<Result>): Promise<Result> {
    const [first, second] = channels.map(({ id }) => parseId('chn', id));
    const lock = 'select 1 from channel where id = $1 for no key update nowait';
    return meetLock(gateway.database, {
      hold: (tx) => tx.query(lock, [first]),
      work,
      meanwhile: (tx) => tx.query(lock, [second]),
    });
  }
});
