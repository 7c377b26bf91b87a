import { it } from 'node:test';
import { startTestGateway } from '../support/gateway.ts';
import { addChannel } from '../support/notifications.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/until.ts';
import { listed, pageOf, startListingServer } from './listing-server.ts';

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
