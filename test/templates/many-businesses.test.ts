import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { addChannel } from '../support/notifications.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/until.ts';
import { type ListingServer, listed, pageOf, startListingServer } from './listing-server.ts';

const MANY = 23;
const AT_A_TIME = 5;

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

describe('the templates of an account with many business accounts', () => {
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
