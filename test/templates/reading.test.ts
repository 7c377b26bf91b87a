import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formatId } from '../../src/kernel/ids.ts';
import { READ_AT_A_TIME } from '../../src/templates/sync.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { addChannel } from '../support/notifications.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/until.ts';
import { connectLine } from './connect-line.ts';
import { type ListingServer, listed, pageOf, startListingServer } from './listing-server.ts';

const REFUSED = { status: 401, body: { error: { code: 190, message: 'The session has expired' } } };
/** More than are asked for at a time. */
const BUSINESS_ACCOUNTS = 3 * READ_AT_A_TIME;
const PROVIDER_TIMEOUT_MS = 2_500;

it('a list is empty only where every business account was read, and has none', async (t) => {
  const provider = await startListingServer();
  t.after(() => provider.close());
  const gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_URL: provider.url } });
  t.after(() => gateway.stop());
  const key = await gateway.createKey({ mode: 'live' });
  const list = (query = '') => gateway.call('GET', `/api/v1/templates${query}`, { key });
  const names = async (query?: string) => (await list(query)).json.data.map(({ name }: { name: string }) => name);
  assert.deepEqual(await names(), [], 'an account without a channel has no templates');

  provider.answer = () => ({ status: 503, body: '' });
  await connectLine(gateway, 1);
  await until(async () => (await list()).status === 503);
  assertProblem(await list(), 'unavailable');
  provider.answer = () => ({ body: { data: [] } });
  assert.deepEqual(await names(), []);
  provider.answer = () => ({ status: 503, body: '' });
  assert.deepEqual(await names(), [], 'it was read once');

  await connectLine(gateway, 2);
  await until(async () => (await list()).status === 503);
  provider.answer = (query) => pageOf([listed('order')], query);
  assert.deepEqual(await names(), ['order']);

  provider.answer = () => REFUSED;
  await connectLine(gateway, 3);
  await until(async () => (await list('?name=other')).status === 503);
  const [newest] = (await gateway.call('GET', '/api/v1/channels', { key })).json.data;
  assert.equal(newest.status, 'suspended');
  await until(async () => {
    provider.queries.length = 0;
    assertProblem(await list('?name=other'), 'unavailable');
    return provider.queries.length === 0;
  });
  assert.deepEqual(await names(), ['order'], 'what there is, is shown');
  assert.equal((await gateway.call('GET', '/api/v1/templates?name=none')).status, 200);
});

it('a template that is not known is asked for by its name, and not with all that there are', async (t) => {
  const provider = await startListingServer();
  t.after(() => provider.close());
  const gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_URL: provider.url } });
  t.after(() => gateway.stop());
  const key = await gateway.createKey({ mode: 'live' });
  await connectLine(gateway, 1);
  const body = { to: '+447700900123', type: 'template', template: { name: 'newest', language: 'en_US' } };
  const validate = () => gateway.call('POST', '/api/v1/messages/validate', { key, body });
  await until(async () => (await validate()).json.results?.[0]?.error?.code === 'template_not_found');
  assert.ok(provider.queries.some((query) => query.get('name') === 'newest'));
});

it('templates of a business account are shown only while the account has a channel of it', async (t) => {
  const provider = await startListingServer();
  t.after(() => provider.close());
  provider.answer = (query, { url }) =>
    pageOf([listed(url?.includes('/201/') ? 'of_the_first' : 'of_the_second')], query);
  const gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_URL: provider.url } });
  t.after(() => gateway.stop());
  const connect = (number: number) => connectLine(gateway, number);
  const id = formatId('chn', await connect(1));
  await connect(2);
  const key = await gateway.createKey({ mode: 'live' });
  const list = async (query = '') => {
    const { data } = (await gateway.call('GET', `/api/v1/templates${query}`, { key })).json;
    return data.map(({ name }: { name: string }) => name).sort();
  };
  assert.deepEqual(await list(), ['of_the_first', 'of_the_second']);
  assert.deepEqual(await list('?status=Approved'), ['of_the_first', 'of_the_second'], 'case does not matter');
  assert.deepEqual(await list('?status=paused'), []);
  const [{ phone_number: number }] = (await gateway.call('GET', '/api/v1/channels', { key })).json.data.filter(
    (channel: { id: string }) => channel.id === id,
  );
  for (const from of [id, number, encodeURIComponent(number)])
    assert.deepEqual(await list(`?from=${from}`), ['of_the_first'], `what ${from} can send`);
  assertProblem(await gateway.call('GET', '/api/v1/templates?from=chn_0', { key }), 'unknown_channel');
  const [first] = (await gateway.call('GET', '/api/v1/templates?name=of_the_first', { key })).json.data;

  await gateway.call('DELETE', `/platform/v1/channels/${id}`, { key: gateway.platformKey });
  assert.deepEqual(await list(), ['of_the_second']);
  assertProblem(await gateway.call('GET', `/api/v1/templates/${first.id}`, { key }), 'not_found');

  await connect(1);
  await until(async () => (await list()).length === 2);
  assert.equal((await gateway.call('GET', `/api/v1/templates/${first.id}`, { key })).status, 200);
});

it('a template that cannot be read because the token is refused suspends the channel, and the next send says so', async (t) => {
  const provider = await startListingServer();
  t.after(() => provider.close());
  provider.answer = (_, { url }) => (url?.includes('/message_templates') ? REFUSED : { status: 503, body: '' });
  const gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_URL: provider.url } });
  t.after(() => gateway.stop());
  const { accountId } = gateway;
  const number = { phoneNumberId: '101', businessAccountId: '201', phoneNumber: '+15550790001' };
  await addChannel(gateway, { accountId, mode: 'live', ...number });
  const key = await gateway.createKey({ mode: 'live' });
  const body = { to: '+447700900123', type: 'template', template: { name: 'order', language: 'en_US' } };
  await gateway.call('POST', '/api/v1/messages/send', { key, body });
  const [channel] = (await gateway.call('GET', '/api/v1/channels', { key })).json.data;
  assert.equal(channel.status, 'suspended');
  const { json } = await gateway.call('POST', '/api/v1/messages/send', { key, body });
  assert.equal(json.results[0].error.code, 'sender_suspended');
  const events = (await gateway.call('GET', '/api/v1/events', { key })).json.data;
  assert.deepEqual(
    events.filter(({ type }: { type: string }) => type === 'channel.updated').length,
    1,
    'its account is told once',
  );
});

it('to read all templates is 503 as long as a business account has no connected channel, and reads those of the others', async (t) => {
  const provider = await startListingServer();
  t.after(() => provider.close());
  provider.answer = (query) => pageOf([listed('of_the_first')], query);
  const gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_URL: provider.url } });
  t.after(() => gateway.stop());
  const connect = (number: number) => connectLine(gateway, number);
  const id = formatId('chn', await connect(1));
  const key = await gateway.createKey({ mode: 'live' });
  const sync = () => gateway.call('POST', '/api/v1/templates/sync', { key });
  const names = async () => {
    const { data } = (await gateway.call('GET', '/api/v1/templates', { key })).json;
    return data.map(({ name }: { name: string }) => name).sort();
  };
  assert.equal((await sync()).json.total, 1);

  provider.answer = () => REFUSED;
  assertProblem(await sync(), 'unavailable');
  assert.equal((await gateway.call('GET', '/api/v1/channels', { key })).json.data[0].status, 'suspended');
  assertProblem(await sync(), 'unavailable');
  assert.deepEqual(await names(), ['of_the_first']);

  provider.answer = (query) => pageOf([listed('of_the_second')], query);
  await connect(2);
  await until(async () => (await names()).length === 2);
  provider.answer = (query) => pageOf([listed('of_the_second'), listed('new')], query);
  assertProblem(await sync(), 'unavailable');
  assert.deepEqual(await names(), ['new', 'of_the_first', 'of_the_second']);

  await gateway.call('DELETE', `/platform/v1/channels/${id}`, { key: gateway.platformKey });
  const { status, json } = await sync();
  assert.deepEqual([status, json.total], [200, 2]);
});

it('who waits for a reading is refused for the key if the account is deleted meanwhile', async (t) => {
  const provider = await startListingServer();
  t.after(() => provider.close());
  const gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_URL: provider.url } });
  t.after(() => gateway.stop());
  for (const [number, [method, path]] of [
    ['POST', '/api/v1/templates/sync'] as const,
    ['GET', '/api/v1/templates'] as const,
  ].entries()) {
    const accountId = await gateway.createAccount('To be deleted');
    const key = await gateway.createKey({ accountId, mode: 'live' });
    const line = {
      phoneNumberId: `10${number}`,
      businessAccountId: `20${number}`,
      phoneNumber: `+1555079000${number}`,
    };
    await addChannel(gateway, { accountId, mode: 'live', ...line });
    const told = Promise.withResolvers<void>();
    provider.queries.length = 0;
    provider.answer = async (query) => {
      await told.promise;
      return pageOf([listed('order')], query);
    };
    const answer = gateway.call(method, path, { key });
    await until(() => provider.queries.length > 0);
    await gateway.call('DELETE', `/platform/v1/accounts/${accountId}`, { key: gateway.platformKey });
    told.resolve();
    assertProblem(await answer, 'invalid_api_key');
  }
});

it('a stop waits for one question to a provider that does not answer, and not for all that were to be asked', async () => {
  const provider = await startListingServer();
  provider.answer = () => new Promise(() => undefined);
  const gateway = await startTestGateway({
    settings: {
      WAYPOST_PROVIDER_URL: provider.url,
      WAYPOST_PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
    },
  });
  const { accountId } = gateway;
  for (let number = 10; number < 10 + BUSINESS_ACCOUNTS; number++)
    await addChannel(gateway, {
      ...{ accountId, mode: 'live', phoneNumberId: `10${number}`, businessAccountId: `20${number}` },
      phoneNumber: `+155507900${number}`,
    });
  await until(() => provider.queries.length > 0);
  const before = provider.queries.length;
  await gateway.stop();
  const during = provider.queries.length - before;
  await provider.close();
  assert.ok(during <= READ_AT_A_TIME, `${during} questions were asked during the stop`);
});

const MANY = 23;
const AT_A_TIME = 5;

describe('the templates of an account with many business accounts', () => {
  let provider: ListingServer;
  let gateway: TestGateway;
  before(async () => {
    provider = await startListingServer();
    gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_URL: provider.url } });
    // What is read here is what a caller has asked for, and not what the schedule reads.
    await gateway.database.transaction((tx) =>
      tx.runScript(`
      create function hold() returns trigger language plpgsql as 'begin return null; end';
      create trigger hold_schedule before update on template_sync for each row
        when (new.started_at = now()) execute function hold()`),
    );
  });
  after(async () => {
    await gateway.stop();
    await provider.close();
  });

  let accounts = 0;
  /** A key of a new account with many business accounts. */
  async function createAccount(): Promise<string> {
    const accountId = await gateway.createAccount('Many business accounts');
    accounts += 1;
    for (let number = 0; number < MANY; number++) {
      const name = `${1_000 * accounts + number}`;
      const line = { phoneNumberId: `1${name}`, businessAccountId: `2${name}`, phoneNumber: `+1555079${name}` };
      await addChannel(gateway, { accountId, mode: 'live', ...line });
    }
    provider.queries.length = 0;
    return gateway.createKey({ accountId, mode: 'live' });
  }

  it('are read some at a time, and never more, each once', async () => {
    const key = await createAccount();
    const together = Promise.withResolvers<void>();
    let underWay = 0;
    let most = 0;
    provider.answer = async (query) => {
      underWay += 1;
      most = Math.max(most, underWay);
      if (underWay === AT_A_TIME) together.resolve();
      await together.promise;
      underWay -= 1;
      return pageOf([listed('order')], query);
    };
    const list = await gateway.call('GET', '/api/v1/templates?limit=100', { key });
    assert.equal(list.json.data.length, MANY);
    assert.deepEqual([provider.queries.length, most], [MANY, AT_A_TIME]);
    const { json } = await gateway.call('POST', '/api/v1/templates/sync', { key });
    assert.deepEqual(json, { added: 0, changed: 0, removed: 0, total: MANY });
    assert.deepEqual([provider.queries.length, most], [2 * MANY, AT_A_TIME]);
  });

  it('are read all the same where one cannot be read', async () => {
    const key = await createAccount();
    provider.answer = (query, { url }) =>
      url?.includes(`/2${1_000 * accounts}/`) ? { status: 503, body: '' } : pageOf([listed('order')], query);
    assertProblem(await gateway.call('POST', '/api/v1/templates/sync', { key }), 'unavailable');
    assert.equal(provider.queries.length, MANY);
    assert.equal((await gateway.call('GET', '/api/v1/templates?limit=100', { key })).json.data.length, MANY - 1);
  });

  it('are not read to the end while the process stops', async () => {
    const key = await createAccount();
    const told = Promise.withResolvers<void>();
    provider.answer = async (query) => {
      await told.promise;
      return pageOf([listed('order')], query);
    };
    const call = gateway.call('GET', '/api/v1/templates', { key });
    await until(() => provider.queries.length === AT_A_TIME);
    const stopped = gateway.app.drain();
    told.resolve();
    await Promise.all([call, stopped]);
    assert.equal(provider.queries.length, AT_A_TIME);
  });
});
