import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatId } from '../../src/kernel/ids.ts';
import { startTestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/until.ts';
import { connectLine } from './connect-line.ts';
import { listed, pageOf, startListingServer } from './listing-server.ts';

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
  const list = async () => {
    const { data } = (await gateway.call('GET', '/api/v1/templates', { key })).json;
    return data.map(({ name }: { name: string }) => name).sort();
  };
  assert.deepEqual(await list(), ['of_the_first', 'of_the_second']);
  const [first] = (await gateway.call('GET', '/api/v1/templates?name=of_the_first', { key })).json.data;

  await gateway.call('DELETE', `/platform/v1/channels/${id}`, { key: gateway.platformKey });
  assert.deepEqual(await list(), ['of_the_second']);
  assertProblem(await gateway.call('GET', `/api/v1/templates/${first.id}`, { key }), 'not_found');

  await connect(1);
  await until(async () => (await list()).length === 2);
  assert.equal((await gateway.call('GET', `/api/v1/templates/${first.id}`, { key })).status, 200);
});
