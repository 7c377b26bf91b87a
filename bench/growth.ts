import { randomBytes } from 'node:crypto';
import { perSecond, type Round, runRound } from './callback.ts';
import type { CallbackBench } from './callback-bench.ts';
import { type Filled, fillDataDir } from './fill/fill-data-dir.ts';
import { createGatewayTarget } from './gateway-target.ts';
import { startChild } from './harness/child.ts';
import type { Cleanup } from './harness/cleanup.ts';
import { compare, type Extent, type FigureResult, type LoneResult, readAlone } from './harness/compare.ts';
import { spreadOf } from './harness/figures.ts';
import { type Gateway, makeDataDir, startGateway } from './harness/gateway.ts';
import { createGatewayApi } from './harness/gateway-api.ts';
import type { Target } from './harness/load.ts';
import { type LiveTenant, makeLiveAccounts, SENDING_ACCOUNTS } from './harness/platform.ts';
import { RAISED_LIMITS } from './harness/raised-limits.ts';
import { readsOfLargest } from './read-history.ts';
import { providerTurn, toBaseline, warmUp } from './send.ts';
import { manyRecipients, oneRecipient } from './send-comparisons.ts';

/** A gateway with many messages must still do nine tenths of what an empty one does. */
const KEPT_MIN = 0.9;

export interface GrowthResult {
  /** The figures whose baseline is the empty gateway. */
  compared: FigureResult[];
  alone: LoneResult[];
  lost: number;
  doubled: number;
  filled: Filled;
}

interface Wish {
  extent: Extent;
  messages: number;
  gatewayNodeOptions: string[];
}

/** Measures the same gateway with the same accounts, first empty and then with messages stored, and also reads of what is stored. */
export async function benchGrowth(
  cleanup: Cleanup,
  { extent, messages, gatewayNodeOptions }: Wish,
): Promise<GrowthResult> {
  const dataDir = await makeDataDir(cleanup);
  const start = (world: World) => startGateway(cleanup, dataDir, world.settings, gatewayNodeOptions);
  const before = await startWorld(cleanup);
  const first = await start(before);
  const tenants = await makeLiveAccounts(first, SENDING_ACCOUNTS);
  const empty = await measure(before, first, tenants, extent);
  await first.stop();
  const filled = await fillDataDir(dataDir, messages, (what, rows) => console.log(`${what}: ${rows} rows`));
  // New baselines: the old ones would be quicker now than they were then, because their code has been compiled.
  const after = await startWorld(cleanup);
  const second = await start(after);
  const alone = await readsOfLargest(second.origin, tenants, extent.rounds);
  const full = await measure(after, second, tenants, extent);
  return {
    compared: readKept(empty, full),
    alone,
    lost: empty.lost + full.lost,
    doubled: empty.doubled + full.doubled,
    filled,
  };
}

interface World {
  stub: string;
  proxy: Target;
  fanOut: Target;
  callbackBaseline: string;
  appSecret: string;
  settings: Record<string, string>;
}

async function startWorld(cleanup: Cleanup): Promise<World> {
  const appSecret = randomBytes(16).toString('hex');
  const stub = (await startChild(cleanup, 'stub.ts')).origin;
  return {
    stub,
    proxy: toBaseline((await startChild(cleanup, 'baselines/proxy.ts', [stub])).origin),
    fanOut: toBaseline((await startChild(cleanup, 'baselines/fan-out.ts', [stub])).origin),
    callbackBaseline: (await startChild(cleanup, 'baselines/callback.ts', [appSecret])).origin,
    appSecret,
    settings: { ...RAISED_LIMITS, WAYPOST_PROVIDER_URL: stub, WAYPOST_APP_SECRETS: appSecret },
  };
}

interface Measured {
  /**
   * Each figure is compared with a baseline of the same round, so that it shows when the machine was busy in one of the two measurements.
   */
  sends: FigureResult[];
  rounds: Round[];
  lost: number;
  doubled: number;
}

async function measure(world: World, started: Gateway, tenants: LiveTenant[], extent: Extent): Promise<Measured> {
  const { stub, proxy, fanOut, callbackBaseline: baselineOrigin, appSecret } = world;
  const gateway = createGatewayTarget(
    started.origin,
    tenants.map(({ key }) => key),
  );
  await warmUp(extent, gateway, { single: [proxy], many: [fanOut] });
  const deps = { gatewayPid: started.pid, providerTurn: (delayMs: number) => providerTurn(stub, delayMs), extent };
  const one = await compare(deps, oneRecipient({ extent, gateway, baseline: proxy, min: null }));
  const many = await compare(deps, manyRecipients({ extent, gateway, baseline: fanOut, min: null }));
  const api = createGatewayApi(started.origin);
  const bench: CallbackBench = {
    ...{ gatewayOrigin: started.origin, gatewayPid: started.pid, baselineOrigin, appSecret, api, tenants },
  };
  await runRound(bench, extent.warmUpMs);
  const rounds: Round[] = [];
  for (let round = 0; round < extent.rounds; round++) rounds.push(await runRound(bench, extent.roundMs));
  await api.close();
  const all = [one, many, ...rounds];
  return {
    sends: [...one.figures, ...many.figures],
    rounds,
    lost: all.reduce((sum, { lost }) => sum + lost, await gateway.countLost()),
    doubled: all.reduce((sum, { doubled }) => sum + doubled, 0),
  };
}

/** How much of each figure is left. Each side is taken relative to its baseline at that time. */
function readKept(empty: Measured, full: Measured): FigureResult[] {
  const sends = full.sends.map((after, place) => {
    const before = empty.sends[place];
    if (before === undefined) throw new RangeError('Both times measure the same');
    const ratio = after.compared.median / before.compared.median;
    return { ...after, baseline: before.gateway, ...kept(after.name, [ratio]) };
  });
  const callback = (name: string, of: (round: Round) => number): FigureResult => {
    const [before, after] = [spreadOf(empty.rounds.map(of)), spreadOf(full.rounds.map(of))];
    const reached = ({ rounds }: Measured) =>
      spreadOf(rounds.map((round) => of(round) / perSecond(round.baseline))).median;
    return { by: 'ratio', gateway: after, baseline: before, ...kept(name, [reached(full) / reached(empty)]) };
  };
  return [
    ...sends,
    callback('notifications committed and answered: a second', ({ gateway }) => perSecond(gateway)),
    callback('statuses applied: a second', ({ appliedPerSecond }) => appliedPerSecond),
  ];
}

function kept(name: string, ratios: readonly number[]): Pick<FigureResult, 'name' | 'compared' | 'target' | 'reached'> {
  const { values, target, reached } = readAlone(name, ratios, { min: KEPT_MIN });
  return { name: `${name}, with messages stored and empty`, compared: values, target, reached };
}
