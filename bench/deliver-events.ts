import { request } from 'undici';
import { type GatewayApi, memberOf } from './harness/gateway-api.ts';
import type { Load } from './harness/load.ts';
import type { Tenant } from './harness/platform.ts';
import { type CpuUsed, cpuSeconds, cpuSince } from './harness/usage.ts';
import { waitUntil } from './harness/wait-until.ts';

/** How many attempts at once the gateway grants one endpoint. The baseline makes as many. */
const ATTEMPTS_AT_ONCE = 10;

/** What a delivery needs to know of the servers. */
export interface DeliveryBench {
  gatewayPid: number;
  api: GatewayApi;
  endpointOrigin: string;
  baselineOrigin: string;
  /** An event as it goes to customers. */
  sample: string;
  /** Whether no delivery waits or is under way. */
  isQuiet(): Promise<boolean>;
}

/** The log of an account whose events go to its endpoint. */
export interface Log extends Tenant {
  endpointId: string;
  latest: number;
}

export interface DeliveryRound {
  gateway: Load;
  baseline: Load;
  cpu: CpuUsed;
  lost: number;
  doubled: number;
}

/** Delivers events that are recorded already, so that recording them is not measured. Then the baseline delivers as many. */
export async function deliverEvents(
  bench: DeliveryBench,
  logs: readonly Log[],
  events: number,
): Promise<DeliveryRound> {
  const each = Math.floor(events / logs.length);
  const expected = each * logs.length;
  const before = cpuSeconds(bench.gatewayPid);
  const ours = await countWhile(bench, () => replay(bench, logs, each, expected));
  const cpu = cpuSince(before, bench.gatewayPid);
  const theirs = await countWhile(bench, () => postBare(bench, expected, ATTEMPTS_AT_ONCE * logs.length));
  return {
    gateway: loadOf(ours),
    baseline: loadOf(theirs),
    cpu,
    lost: expected - ours.different,
    doubled: ours.taken - ours.different,
  };
}

async function replay(bench: DeliveryBench, logs: readonly Log[], each: number, expected: number): Promise<void> {
  for (const { key, endpointId, latest } of logs)
    await bench.api.post(key, `/api/v1/endpoints/${endpointId}/replay`, { after_sequence: latest - each });
  // The endpoint is asked first: to ask the database again and again takes a tenth of the time that the deliveries take.
  const isOver = async () => (await readCounts(bench)).different >= expected && (await bench.isQuiet());
  await waitUntil('every event is delivered', isOver);
}

async function postBare({ baselineOrigin, sample }: DeliveryBench, events: number, connections: number): Promise<void> {
  const url = `${baselineOrigin}/?events=${events}&connections=${connections}`;
  const { body } = await request(url, { method: 'POST', body: sample });
  await body.dump();
}

interface Counts {
  taken: number;
  different: number;
  /** From the first event to the last. */
  seconds: number;
}

/** What the endpoint gets during `work`. It measures the time itself, the same for both sides. */
async function countWhile(bench: DeliveryBench, work: () => Promise<void>): Promise<Counts> {
  const begun = await request(`${bench.endpointOrigin}/_bench/begin`);
  await begun.body.dump();
  await work();
  return readCounts(bench);
}

async function readCounts({ endpointOrigin }: DeliveryBench): Promise<Counts> {
  const { body } = await request(`${endpointOrigin}/_bench/counts`);
  const counts = await body.json();
  const read = (name: string) => Number(memberOf(counts, name));
  return { taken: read('taken'), different: read('different'), seconds: read('seconds') };
}

function loadOf({ different, seconds }: Counts): Load {
  return { requests: different, seconds, latenciesMs: [] };
}
