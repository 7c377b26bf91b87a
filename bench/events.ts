import { type DeliveryBench, type DeliveryRound, deliverEvents, type Log } from './deliver-events.ts';
import { startChild } from './harness/child.ts';
import type { Cleanup } from './harness/cleanup.ts';
import {
  type Extent,
  type Figure,
  type FigureResult,
  type LoneResult,
  readAlone,
  readFigure,
} from './harness/compare.ts';
import { openEmbeddedStore } from './harness/embedded-store.ts';
import { percentile } from './harness/figures.ts';
import { makeDataDir, startGateway } from './harness/gateway.ts';
import { createGatewayApi, type GatewayApi, listOf, memberOf } from './harness/gateway-api.ts';
import { ACCOUNTS, makeTestAccounts } from './harness/platform.ts';
import { type CpuUsed, microsEach } from './harness/usage.ts';
import { loadEvents } from './load-events.ts';
import { PAGE, readFeed } from './read-feed.ts';

/** How many events there are for each second of a round. They take about as long as the round. */
const EVENTS_A_SECOND = 10_000;

/** With a test key, because only endpoints of test keys may be on this machine. */
const SETTINGS = {
  WAYPOST_LOCAL_ENDPOINTS: 'on',
  WAYPOST_LOG_LEVEL: 'warn',
  WAYPOST_RATE_REQUESTS: '1000000',
};

export interface EventsExtent extends Extent {
  /** How many events are stored in the log that is read, and in the one that goes to an endpoint. */
  storedEvents: number;
}

export interface EventsResult {
  compared: FigureResult[];
  alone: LoneResult[];
  /** Processor time for each event, in microseconds. */
  cpuMicros: CpuUsed;
  /** `lost`: events that the endpoint never got. `doubled`: those that it got more than once. */
  lost: number;
  doubled: number;
}

/** Measures the way from a recorded event to a customer: to an endpoint, and by the feed. */
export async function benchEvents(
  cleanup: Cleanup,
  extent: EventsExtent,
  gatewayNodeOptions: string[],
): Promise<EventsResult> {
  const { rounds, roundMs, warmUpMs, storedEvents } = extent;
  const { bench, logs, large, origin } = await start(cleanup, extent, gatewayNodeOptions);
  const eventsIn = (durationMs: number) => (durationMs / 1_000) * EVENTS_A_SECOND;
  await readFeed(origin, large);
  await deliverEvents(bench, logs, eventsIn(warmUpMs));
  const pages: number[][] = [];
  const one: DeliveryRound[] = [];
  const many: DeliveryRound[] = [];
  for (let round = 0; round < rounds; round++) {
    pages.push(await readFeed(origin, large));
    one.push(await deliverEvents(bench, [large], eventsIn(roundMs)));
    many.push(await deliverEvents(bench, logs, eventsIn(roundMs)));
  }
  await bench.api.close();
  const all = [...one, ...many];
  return {
    compared: [readFigure(deliveredTo('1 endpoint'), one), readFigure(deliveredTo(`${ACCOUNTS} endpoints`), many)],
    alone: [50, 99].map((percent) =>
      readAlone(
        `a page of ${PAGE} events out of ${storedEvents}: ms, p${percent}`,
        pages.map((latenciesMs) => percentile(latenciesMs, percent)),
        { max: 10 },
      ),
    ),
    cpuMicros: cpuOf(all),
    lost: all.reduce((sum, { lost }) => sum + lost, 0),
    doubled: all.reduce((sum, { doubled }) => sum + doubled, 0),
  };
}

async function start(
  cleanup: Cleanup,
  { storedEvents }: EventsExtent,
  gatewayNodeOptions: string[],
): Promise<{ bench: DeliveryBench; logs: Log[]; large: Log; origin: string }> {
  const dataDir = await makeDataDir(cleanup);
  const endpoint = await startChild(cleanup, 'endpoint.ts');
  const baseline = await startChild(cleanup, 'baselines/post-loop.ts', [endpoint.origin]);
  const gateway = await startGateway(cleanup, dataDir, SETTINGS, gatewayNodeOptions);
  const store = await openEmbeddedStore(cleanup, dataDir);
  const api = createGatewayApi(gateway.origin);
  const logs: Log[] = [];
  for (const [place, tenant] of (await makeTestAccounts(gateway, ACCOUNTS)).entries()) {
    const latest = await loadEvents(store, api, tenant, place === 0 ? storedEvents : EVENTS_A_SECOND);
    const made = await api.post(tenant.key, '/api/v1/endpoints', { url: `${endpoint.origin}/` });
    logs.push({ ...tenant, latest, endpointId: String(memberOf(made, 'id')) });
  }
  const [large] = logs;
  if (large === undefined) throw new RangeError('There is no account');
  await store.query('vacuum analyze event');
  const isQuiet = async () => (await store.query('select from delivery limit 1')).rowCount === 0;
  const sample = await firstEvent(api, large);
  const origins = { endpointOrigin: endpoint.origin, baselineOrigin: baseline.origin };
  const bench = { gatewayPid: gateway.pid, api, ...origins, sample, isQuiet };
  return { bench, logs, large, origin: gateway.origin };
}

async function firstEvent(api: GatewayApi, { key }: Log): Promise<string> {
  const [event] = listOf(memberOf(await api.get(key, '/api/v1/events?limit=1'), 'data'));
  return JSON.stringify(event);
}

function deliveredTo(whom: string): Figure {
  return {
    name: `events delivered to ${whom}: a second`,
    of: ({ requests, seconds }) => requests / seconds,
    by: 'ratio',
    target: { min: 0.5 },
  };
}

function cpuOf(rounds: readonly DeliveryRound[]): CpuUsed {
  const events = rounds.reduce((all, { gateway }) => all + gateway.requests, 0);
  return microsEach(
    rounds.map(({ cpu }) => cpu),
    events,
  );
}
