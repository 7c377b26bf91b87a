import assert from 'node:assert/strict';
import { it } from 'node:test';
import { READ_AT_A_TIME } from '../../src/templates/sync.ts';
import { startTestGateway } from '../support/gateway.ts';
import { addChannel } from '../support/notifications.ts';
import { until } from '../support/until.ts';
import { startListingServer } from './listing-server.ts';

/** More than are asked for at a time. */
const BUSINESS_ACCOUNTS = 3 * READ_AT_A_TIME;
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
