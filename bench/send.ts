import { request } from 'undici';
import { createGatewayTarget } from './gateway-target.ts';
import { startChild } from './harness/child.ts';
import type { Cleanup } from './harness/cleanup.ts';
import { type Comparison, type ComparisonResult, compare, type Extent } from './harness/compare.ts';
import { findEmbeddedStore } from './harness/embedded-store.ts';
import { makeDataDir, startGateway } from './harness/gateway.ts';
import { closedLoad, type Target } from './harness/load.ts';
import { makeLiveAccounts, SENDING_ACCOUNTS } from './harness/platform.ts';
import { RAISED_LIMITS } from './harness/raised-limits.ts';
import { memoryPeakMb } from './harness/usage.ts';
import {
  CALLERS,
  CALLERS_OF_MANY,
  halfLoad,
  manyRecipients,
  oneRecipient,
  RECIPIENTS,
  slowProvider,
} from './send-comparisons.ts';

export interface SendResult {
  comparisons: ComparisonResult[];
  lost: number;
  doubled: number;
  /** The most memory that the gateway has held: with 64 callers, and in the whole run. */
  memoryPeakMb: { callers64: number | undefined; whole: number | undefined };
}

/**
 * Compares the send path with three baselines: the least code that does the same without checks and without a store, the same with the two
 * commits of a send, and a small gateway as many would write it.
 */
export async function benchSend(cleanup: Cleanup, extent: Extent, gatewayNodeOptions: string[]): Promise<SendResult> {
  const { stub, pid, gateway, proxy, fanOut, simple, durable } = await startSides(cleanup, gatewayNodeOptions);
  await warmUp(extent, gateway, { single: [proxy, durable, simple], many: [fanOut, simple] });
  const deps = { gatewayPid: pid, providerTurn: (delayMs: number) => providerTurn(stub.origin, delayMs), extent };
  const run = (comparison: Comparison) => compare(deps, comparison);
  const one = await run(oneRecipient({ extent, gateway, baseline: proxy }));
  const callers64 = memoryPeakMb(pid);
  const perSecond = (one.figures[0]?.gateway.median ?? 0) / 2;
  const toSimple = { extent, gateway, baseline: simple, of: ', against a simple gateway', min: null };
  const comparisons = [
    one,
    await run(manyRecipients({ extent, gateway, baseline: fanOut })),
    await run(slowProvider({ extent, gateway, baseline: fanOut })),
    await run(halfLoad({ extent, gateway, baseline: proxy }, perSecond)),
    await run(oneRecipient({ extent, gateway, baseline: durable, of: ', against two commits', min: null })),
    await run(oneRecipient(toSimple)),
    await run(manyRecipients(toSimple)),
  ];
  const sum = (read: (result: ComparisonResult) => number) => comparisons.reduce((all, one) => all + read(one), 0);
  return {
    comparisons,
    lost: sum(({ lost }) => lost) + (await gateway.countLost()),
    doubled: sum(({ doubled }) => doubled),
    memoryPeakMb: { callers64, whole: memoryPeakMb(pid) },
  };
}

async function startSides(cleanup: Cleanup, gatewayNodeOptions: string[]) {
  const dataDir = await makeDataDir(cleanup);
  const stub = await startChild(cleanup, 'stub.ts');
  const startBaseline = async (name: string, ...more: string[]) =>
    toBaseline((await startChild(cleanup, `baselines/${name}.ts`, [stub.origin, ...more])).origin);
  const proxy = await startBaseline('proxy');
  const fanOut = await startBaseline('fan-out');
  const simple = await startBaseline('simple-gateway');
  const settings = { ...RAISED_LIMITS, WAYPOST_PROVIDER_URL: stub.origin };
  const started = await startGateway(cleanup, dataDir, settings, gatewayNodeOptions);
  const store = await findEmbeddedStore(dataDir);
  const durable = await startBaseline('durable-proxy', store.host, store.port);
  const tenants = await makeLiveAccounts(started, SENDING_ACCOUNTS);
  const keys = tenants.map(({ key }) => key);
  return { stub, pid: started.pid, gateway: createGatewayTarget(started.origin, keys), proxy, fanOut, simple, durable };
}

export function toBaseline(origin: string): Target {
  return { origin, path: '/send', authorizations: [''], check: () => undefined };
}

/** Runs all sides until their compilers, connections and plans have settled. */
export async function warmUp(
  { warmUpMs }: Extent,
  gateway: Target,
  { single, many }: { single: readonly Target[]; many: readonly Target[] },
): Promise<void> {
  for (const target of [gateway, ...single]) await closedLoad(target, 1, CALLERS, warmUpMs);
  for (const target of [gateway, ...many]) await closedLoad(target, RECIPIENTS, CALLERS_OF_MANY, warmUpMs);
}

export async function providerTurn(origin: string, delayMs: number): Promise<{ taken: number; different: number }> {
  const { body } = await request(`${origin}/_bench/turn?delay_ms=${delayMs}`, { method: 'POST' });
  const counts: unknown = await body.json();
  const read = (member: string) => Number(Reflect.get(Object(counts), member));
  return { taken: read('taken'), different: read('different') };
}
