import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startTestGateway } from '../support/gateway.ts';
import { addChannel } from '../support/notifications.ts';
import { until } from '../support/until.ts';
import { startListingServer } from './listing-server.ts';

/** How many business accounts a round of a node reads. */
const BUSINESS_ACCOUNTS = 5;
const PROVIDER_TIMEOUT_MS = 2_500;

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
  for (let number = 1; number <= BUSINESS_ACCOUNTS; number++)
    await addChannel(gateway, {
      ...{ accountId, mode: 'live', phoneNumberId: `10${number}`, businessAccountId: `20${number}` },
      phoneNumber: `+1555079000${number}`,
    });
  await until(() => provider.queries.length > 0);
  const begunMs = performance.now();
  await gateway.stop();
  const stopMs = performance.now() - begunMs;
  await provider.close();
  assert.ok(stopMs < (BUSINESS_ACCOUNTS - 1) * PROVIDER_TIMEOUT_MS, `${stopMs} ms`);
});
