import { createGatewayTarget } from './gateway-target.ts';
import { startChild } from './harness/child.ts';
import type { Cleanup } from './harness/cleanup.ts';
import type { Extent } from './harness/compare.ts';
import { makeDataDir, startGateway } from './harness/gateway.ts';
import { closedLoad } from './harness/load.ts';
import { makeLiveAccounts } from './harness/platform.ts';
import { RAISED_LIMITS } from './harness/raised-limits.ts';

/** How many messages a second a channel may send, by the throughput that the stand-in for the provider reports for its numbers. */
export const CHANNEL_PER_SECOND = 1_000;
/** Many more callers than such a channel serves at once, so that each of them waits for its turn. */
export const RATE_CALLERS = 200;

/** How many messages a second leave one channel whose callers always have more to send. One figure for each round. */
export async function measureChannelRate(cleanup: Cleanup, { rounds, roundMs, warmUpMs }: Extent): Promise<number[]> {
  const stub = await startChild(cleanup, 'stub.ts');
  const settings = { ...RAISED_LIMITS, WAYPOST_PROVIDER_URL: stub.origin };
  const gateway = await startGateway(cleanup, await makeDataDir(cleanup), settings);
  const tenants = await makeLiveAccounts(gateway, 1);
  const target = createGatewayTarget(
    gateway.origin,
    tenants.map(({ key }) => key),
  );
  await closedLoad(target, 1, RATE_CALLERS, warmUpMs);
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { requests, seconds } = await closedLoad(target, 1, RATE_CALLERS, roundMs);
    rates.push(requests / seconds);
  }
  await gateway.stop();
  return rates;
}
