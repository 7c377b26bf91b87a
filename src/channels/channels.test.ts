import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { assertProblem, pointersOf } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { systemClock } from '../kernel/clock.ts';
import { createSealer } from '../kernel/sealed.ts';
import type { Database } from '../store/database.ts';
import { createChannels } from './channels.ts';

let gateway: TestGateway;
let numbers = 0;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

const newWish = () => ({
  phone_number_id: String(1_000 + numbers++),
  business_account_id: '2001',
  display_phone_number: `+1 555-078-${3_000 + numbers}`,
  access_token: 'a-token',
  mode: 'test',
});
const connect = (accountId: string, wish: object) =>
  gateway.call('POST', `/platform/v1/accounts/${accountId}/channels`, { key: gateway.platformKey, body: wish });

async function newAccount() {
  const accountId = await gateway.createAccount('With channels');
  const key = await gateway.createKey({ accountId });
  const send = (from?: string) => {
    const body = { to: '+447700900601', type: 'text', text: { body: 'Hello' }, ...(from !== undefined && { from }) };
    return gateway.call('POST', '/api/v1/messages/send', { key, body });
  };
  const senderOf = async (from?: string) => {
    const { json, text } = await send(from);
    assert.equal(json.accepted_count, 1, text);
    return (await gateway.call('GET', `/api/v1/messages/${json.results[0].id}`, { key })).json.channel_id;
  };
  const list = async () => (await gateway.call('GET', '/api/v1/channels', { key })).json.data;
  return { accountId, key, send, senderOf, list };
}

describe('connecting a channel', () => {
  it('answers with the channel, an address and never the token', async () => {
    const { accountId, list } = await newAccount();
    const wish = newWish();
    const { status, json, headers, text } = await connect(accountId, wish);
    assert.equal(status, 201, text);
    assert.match(json.id, /^chn_/);
    assert.ok(headers.get('location')?.startsWith(`${gateway.url}/platform/v1/`));
    assert.equal(json.phone_number, wish.display_phone_number.replaceAll(/[ -]/g, ''));
    assert.deepEqual([json.mode, json.status, json.default], ['test', 'connected', false]);
    assert.deepEqual([json.phone_number_id, json.business_account_id], [wish.phone_number_id, '2001']);
    const audit = await gateway.database.query('select * from audit where account_id = $1 order by id', [accountId]);
    assert.match(JSON.stringify(audit), /channel\.connected/);
    assert.ok(!(text + JSON.stringify(audit) + JSON.stringify(await list())).includes(wish.access_token));
    const own = (await list()).find(({ id }: { id: string }) => id === json.id);
    assert.deepEqual(Object.keys(own).toSorted(), [
      'default',
      'id',
      'messaging_limit',
      'mode',
      'name',
      'phone_number',
      'quality',
      'status',
      'throughput_per_second',
      'updated_at',
    ]);
  });

  it('is refused where the provider refuses, and nothing is kept', async () => {
    const { accountId, list } = await newAccount();
    assertProblem(await connect(accountId, { ...newWish(), access_token: 'refused-token' }), 'channel_refused');
    assert.equal((await list()).length, 1);
  });

  it('takes a phone number id once on the whole platform', async () => {
    const wish = newWish();
    const [one, two] = [await newAccount(), await newAccount()];
    assert.equal((await connect(one.accountId, wish)).status, 201);
    assertProblem(await connect(two.accountId, wish), 'channel_taken');
    assertProblem(await connect(one.accountId, { ...wish, default: true }), 'channel_taken');
    assert.equal((await one.list()).filter((channel: { default: boolean }) => channel.default).length, 1);
  });

  it('is not possible for the provider that cannot be reached', async () => {
    const alone = await startTestGateway({ settings: { WAYPOST_PROVIDER_URL: 'http://127.0.0.1:9' } });
    const path = `/platform/v1/accounts/${alone.accountId}/channels`;
    const body = { ...newWish(), mode: 'live' };
    assertProblem(await alone.call('POST', path, { key: alone.platformKey, body }), 'unavailable');
    await alone.stop();
  });

  it('names every fault at once', async () => {
    const { accountId } = await newAccount();
    assert.deepEqual(pointersOf(await connect(accountId, { extra: 1 })), [
      '#/access_token',
      '#/business_account_id',
      '#/display_phone_number',
      '#/extra',
      '#/phone_number_id',
    ]);
    for (const number of ['none', `+44 7700 ${' '.repeat(40)}900123`, '+44 (0)7700 900123', '44 [ 0 ] 7700 900123'])
      assert.deepEqual(pointersOf(await connect(accountId, { ...newWish(), display_phone_number: number })), [
        '#/display_phone_number',
      ]);
    assert.deepEqual(pointersOf(await connect(accountId, { ...newWish(), phone_number_id: '../x' })), [
      '#/phone_number_id',
    ]);
    const words = { phone_number_id: 'number-1', business_account_id: 'business-1', mode: 'live' };
    assert.deepEqual(pointersOf(await connect(accountId, { ...newWish(), ...words })), [
      '#/business_account_id',
      '#/phone_number_id',
    ]);
  });

  it('takes any ids for the sandbox, and sends from there', async () => {
    const { accountId, senderOf } = await newAccount();
    const words = { phone_number_id: `Number-${numbers}`, business_account_id: 'business_1:a.b', default: true };
    const { status, json, text } = await connect(accountId, { ...newWish(), ...words });
    assert.equal(status, 201, text);
    assert.equal(await senderOf(), json.id);
  });
});

describe('the channel of a send', () => {
  it('is the default, or the one that "from" names by id or number', async () => {
    const { accountId, senderOf, list } = await newAccount();
    const [first] = await list();
    const second = (await connect(accountId, newWish())).json;
    const third = (await connect(accountId, { ...newWish(), default: true })).json;
    await seen(senderOf, third.id);
    for (const channel of [first, second, third]) {
      assert.equal(await senderOf(channel.id), channel.id);
      assert.equal(await senderOf(channel.phone_number), channel.id);
    }
    const [number, last] = [second.phone_number.slice(0, -4), second.phone_number.slice(-4)];
    for (const written of [`${number} ${last}`, `${number}-${last}`, `\u202a(${number})\u00a0${last}\u202c`])
      assert.equal(await senderOf(written), second.id, 'a number is read as a recipient is');
    const defaults = (await list()).filter((channel: { default: boolean }) => channel.default);
    assert.deepEqual(
      defaults.map(({ id }: { id: string }) => id),
      [third.id],
    );
  });

  it('is never guessed from a phone number that two of them have', async () => {
    const { accountId, send, senderOf } = await newAccount();
    const { display_phone_number } = newWish();
    const [first, second] = await Promise.all(
      [newWish(), newWish()].map((wish) => connect(accountId, { ...wish, display_phone_number })),
    );
    const refused = await send(display_phone_number);
    assertProblem(refused, 'no_channel');
    assert.match(refused.json.detail, /by its id/);
    for (const channel of [first, second]) assert.equal(await senderOf(channel?.json.id), channel?.json.id);
  });

  it('is the only one where none is the default, and there is none where several are left', async () => {
    const { accountId, send, senderOf, list } = await newAccount();
    const [only] = await list();
    await gateway.database.query('update channel set is_default = false where account_id = $1', [accountId]);
    assert.equal(await senderOf(), only.id);
    const other = await newAccount();
    await gateway.database.query('update channel set is_default = false where account_id = $1', [other.accountId]);
    assert.equal((await connect(other.accountId, newWish())).status, 201);
    assertProblem(await other.send(), 'no_channel');
    assert.equal((await send()).status, 200);
  });

  it("is never another account's, another mode's or a removed one", async () => {
    const { accountId, send, list } = await newAccount();
    const [own] = await list();
    const [foreign] = await (await newAccount()).list();
    const wrong = [
      own.phone_number.slice(1),
      own.phone_number.replace('+1', '+1(0)'),
      own.id.toUpperCase(),
      'chn_',
      '',
    ];
    for (const from of [foreign.id, foreign.phone_number, ...wrong]) assertProblem(await send(from), 'unknown_channel');
    const detailOf = async (from: string) => (await send(from)).json.detail;
    const form = ': give its id, chn_..., or its number with the plus.';
    assert.ok((await detailOf(own.phone_number.slice(1))).endsWith(form));
    assert.ok(!(await detailOf(foreign.id)).endsWith(form));
    const live = await gateway.createKey({ accountId, mode: 'live' });
    const body = { to: '+447700900601', type: 'text', text: { body: 'Hello' } };
    assertProblem(await gateway.call('POST', '/api/v1/messages/send', { key: live, body }), 'no_channel');
    const named = { ...body, from: own.id };
    assertProblem(await gateway.call('POST', '/api/v1/messages/send', { key: live, body: named }), 'unknown_channel');
    const removed = await newAccount();
    await gateway.database.query(`update channel set status = 'removed' where account_id = $1`, [removed.accountId]);
    assertProblem(await removed.send(), 'no_channel');
  });

  it('is not one with a status that only a later version knows: only a connected one sends', async () => {
    const { accountId, send, senderOf } = await newAccount();
    await senderOf();
    await gateway.database.query("alter type channel_status add value 'paused'");
    await gateway.database.query("update channel set status = 'paused' where account_id = $1", [accountId]);
    const errorOf = async () => (await send()).json.results[0].error?.code;
    // What was known of the channel before is believed for a moment.
    await until(async () => (await errorOf()) === 'sender_suspended');
  });

  it('is looked up together for the accounts of one moment, each by its own', async () => {
    let asked = 0;
    const database: Database = {
      ...gateway.database,
      query: (...statement) => {
        asked++;
        return gateway.database.query(...statement);
      },
    };
    const sealer = createSealer(gateway.secrets.masterKey);
    const log = pino({ level: 'silent' });
    const channels = createChannels({ database, sealer, clock: systemClock, log, sandbox: true });
    const accounts = await Promise.all(Array.from({ length: 30 }, () => gateway.createAccount('One of many')));
    const chosen = await Promise.all(accounts.map((accountId) => channels.choose(accountId, 'test', undefined)));
    assert.deepEqual(
      chosen.map(({ accountId }) => accountId),
      accounts,
    );
    assert.ok(asked <= 2, `${asked} queries for ${accounts.length} accounts`);
  });

  it('is none for test keys while the sandbox is off', async () => {
    const alone = await startTestGateway({ settings: { WAYPOST_SANDBOX: 'off' } });
    const { json } = await alone.call('GET', '/api/v1/channels');
    const body = { to: '+447700900601', type: 'text', text: { body: 'Hello' } };
    for (const from of [undefined, json.data[0].id])
      assertProblem(await alone.call('POST', '/api/v1/messages/send', { body: { ...body, from } }), 'no_channel');
    // Nobody can be asked for its templates either.
    assert.deepEqual((await alone.call('GET', '/api/v1/templates')).json, { data: [], next_cursor: null });
    assert.equal((await alone.call('POST', '/api/v1/templates/sync')).json.total, 0);
    const asPlatform = (method: string, path: string, sent: object) =>
      alone.call(method, `/platform/v1/${path}`, { key: alone.platformKey, body: sent });
    const connecting = (mode?: string) =>
      asPlatform('POST', `accounts/${alone.accountId}/channels`, { ...newWish(), mode });
    assertProblem(await connecting('test'), 'channel_refused');
    const token = { access_token: 'another' };
    assertProblem(await asPlatform('PATCH', `channels/${json.data[0].id}`, token), 'channel_refused');
    // A channel is live unless it is to be a test channel, and no test reaches that provider.
    assertProblem(await connecting(), 'unavailable');
    await alone.stop();
  });
});

/** A change of the default is seen by every node within two seconds. */
async function seen(senderOf: () => Promise<string>, id: string): Promise<void> {
  const endMs = Date.now() + 20_000;
  while ((await senderOf()) !== id) assert.ok(Date.now() < endMs, 'The new default is not used');
}
