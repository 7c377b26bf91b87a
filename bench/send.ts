import { request } from 'undici';
import { createGatewayTarget } from './gateway-target.ts';
import { startChild } from './harness/child.ts';
import type { Cleanup } from './harness/cleanup.ts';
import { type Comparison, type ComparisonResult, compare, type Extent, type Figure } from './harness/compare.ts';
import { percentile } from './harness/figures.ts';
import { makeDataDir, startGateway } from './harness/gateway.ts';
import { closedLoad, type Load, steadyLoad, type Target } from './harness/load.ts';
import { makeLiveAccounts } from './harness/platform.ts';
import { memoryPeakMb } from './harness/usage.ts';

/** Tenants, each with a key and a channel, so that no channel's own limit is what is measured. */
const ACCOUNTS = 16;
const CALLERS = 64;
const RECIPIENTS = 50;
/** Together they keep every connection to the provider busy. */
const CALLERS_OF_MANY = 8;
const SLOW_PROVIDER_MS = 100;

/** The limits are raised, because the service is measured and not them. */
const SETTINGS = {
  WAYPOST_SANDBOX: 'off',
  WAYPOST_LOG_LEVEL: 'warn',
  WAYPOST_RATE_REQUESTS: '1000000',
  WAYPOST_RATE_RECIPIENTS: '10000000',
};

export interface SendResult {
  comparisons: ComparisonResult[];
  lost: number;
  doubled: number;
  /** The gateway's most memory: with 64 callers, and in the whole run. */
  memoryPeakMb: { callers64: number | undefined; whole: number | undefined };
}

/** The send path against the least code that does the same without checks and without a store. */
export async function benchSend(cleanup: Cleanup, extent: Extent, gatewayNodeOptions: string[]): Promise<SendResult> {
  const dataDir = await makeDataDir(cleanup);
  const stub = await startChild(cleanup, 'stub.ts');
  const proxy = toBaseline((await startChild(cleanup, 'baselines/proxy.ts', [stub.origin])).origin);
  const fanOut = toBaseline((await startChild(cleanup, 'baselines/fan-out.ts', [stub.origin])).origin);
  const settings = { ...SETTINGS, WAYPOST_PROVIDER_URL: stub.origin };
  const started = await startGateway(cleanup, dataDir, settings, gatewayNodeOptions);
  const tenants = await makeLiveAccounts(started, ACCOUNTS);
  const gateway = createGatewayTarget(
    started.origin,
    tenants.map(({ key }) => key),
  );

  await warmUp(extent, gateway, proxy, fanOut);
  const run = (comparison: Comparison) =>
    compare(
      { gatewayPid: started.pid, providerTurn: (delayMs) => providerTurn(stub.origin, delayMs), extent },
      comparison,
    );
  const one = await run(oneRecipient(extent, gateway, proxy));
  const callers64 = memoryPeakMb(started.pid);
  const perSecond = (one.figures[0]?.gateway.median ?? 0) / 2;
  const comparisons = [
    one,
    await run(manyRecipients(extent, gateway, fanOut)),
    await run(slowProvider(extent, gateway, fanOut)),
    await run(halfLoad(extent, perSecond, gateway, proxy)),
  ];
  const sum = (read: (result: ComparisonResult) => number) => comparisons.reduce((all, one) => all + read(one), 0);
  return {
    comparisons,
    lost: sum(({ lost }) => lost) + (await gateway.countLost()),
    doubled: sum(({ doubled }) => doubled),
    memoryPeakMb: { callers64, whole: memoryPeakMb(started.pid) },
  };
}

function toBaseline(origin: string): Target {
  return { origin, path: '/send', authorizations: [''], check: () => undefined };
}

/** Lets the compilers, the connections and the plans of the statements settle on all sides. */
async function warmUp({ warmUpMs }: Extent, gateway: Target, proxy: Target, fanOut: Target): Promise<void> {
  for (const target of [gateway, proxy]) await closedLoad(target, 1, CALLERS, warmUpMs);
  for (const target of [gateway, fanOut]) await closedLoad(target, RECIPIENTS, CALLERS_OF_MANY, warmUpMs);
}

function oneRecipient({ roundMs }: Extent, gateway: Target, proxy: Target): Comparison {
  const load = (target: Target) => closedLoad(target, 1, CALLERS, roundMs);
  const name = `1 recipient a request, ${CALLERS} callers: requests/s`;
  return {
    providerDelayMs: 0,
    recipients: 1,
    gateway: () => load(gateway),
    baseline: () => load(proxy),
    figures: [{ name, of: requestsPerSecond, by: 'ratio', target: { min: 0.4 } }],
  };
}

function manyRecipients({ roundMs }: Extent, gateway: Target, fanOut: Target): Comparison {
  const load = (target: Target) => closedLoad(target, RECIPIENTS, CALLERS_OF_MANY, roundMs);
  const name = `${RECIPIENTS} recipients a request, ${CALLERS_OF_MANY} callers: recipients/s`;
  return {
    providerDelayMs: 0,
    recipients: RECIPIENTS,
    gateway: () => load(gateway),
    baseline: () => load(fanOut),
    figures: [{ name, of: (seen) => requestsPerSecond(seen) * RECIPIENTS, by: 'ratio', target: { min: 0.4 } }],
  };
}

function slowProvider({ roundMs }: Extent, gateway: Target, fanOut: Target): Comparison {
  const load = (target: Target) => closedLoad(target, RECIPIENTS, 1, roundMs);
  const name = `${RECIPIENTS} recipients, a provider that takes ${SLOW_PROVIDER_MS} ms: ms to the answer`;
  return {
    providerDelayMs: SLOW_PROVIDER_MS,
    recipients: RECIPIENTS,
    gateway: () => load(gateway),
    baseline: () => load(fanOut),
    figures: [{ name, of: latencyMs(50), by: 'ratio', target: { max: 1.15 } }],
  };
}

function halfLoad({ roundMs }: Extent, perSecond: number, gateway: Target, proxy: Target): Comparison {
  const load = (target: Target) => steadyLoad(target, perSecond, roundMs);
  const figure = (percent: number, max: number): Figure => ({
    name: `1 recipient at half load (${Math.round(perSecond)} requests/s): ms, p${percent}`,
    of: latencyMs(percent),
    by: 'difference',
    target: { max },
  });
  return {
    providerDelayMs: 0,
    recipients: 1,
    gateway: () => load(gateway),
    baseline: () => load(proxy),
    figures: [figure(50, 2), figure(99, 10)],
  };
}

const requestsPerSecond = ({ requests, seconds }: Load) => requests / seconds;
const latencyMs = (percent: number) => (load: Load) => percentile(load.latenciesMs, percent);

async function providerTurn(origin: string, delayMs: number): Promise<{ taken: number; different: number }> {
  const { body } = await request(`${origin}/_bench/turn?delay_ms=${delayMs}`, { method: 'POST' });
  const counts: unknown = await body.json();
  const read = (member: string) => Number(Reflect.get(Object(counts), member));
  return { taken: read('taken'), different: read('different') };
}
