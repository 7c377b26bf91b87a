import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startTestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/until.ts';
import { connectLine } from './connect-line.ts';
import { listed, pageOf, startListingServer } from './listing-server.ts';

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

  provider.answer = () => ({ status: 401, body: { error: { code: 190, message: 'The session has expired' } } });
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
