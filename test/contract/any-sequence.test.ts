import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { createSandbox, type Sandbox } from '../../sandbox/server.ts';
import { type Receiver, startReceiver } from '../endpoints/receiver.ts';
import { expectStatistics } from '../model/expect-statistics.ts';
import { anySequence } from '../model/sequence.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** `npm run fuzz` makes more of them. */
const RUNS = 12;

let provider: Sandbox;
let gateway: TestGateway;
let receiver: Receiver;
before(async () => {
  provider = await createSandbox({ port: 0, appSecret: 'unused', statuses: 'off' });
  gateway = await startTestGateway({ sandbox: { statuses: 'off' }, settings: { WAYPOST_PROVIDER_URL: provider.url } });
  receiver = await startReceiver();
});
after(async () => {
  await receiver.close();
  await gateway.stop();
  await provider.close();
});

describe('whatever comes after what', () => {
  it('every answer, event, delivery and figure is as the documentation has it', async () => {
    const real = { gateway, receiver, models: [] };
    await fc.assert(anySequence(real), { numRuns: RUNS });
    await expectStatistics(real.models, real);
  });
});
