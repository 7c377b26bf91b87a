import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import { startChild } from '../harness/child.ts';
import type { Cleanup } from '../harness/cleanup.ts';
import { openEmbeddedStore } from '../harness/embedded-store.ts';
import { findOutsidePlace, makeDataDir, startGateway } from '../harness/gateway.ts';
import { createGatewayApi, memberOf } from '../harness/gateway-api.ts';
import { makeTestAccounts } from '../harness/platform.ts';
import { type Count, countAll } from './count.ts';
import { createSampler, type Sample } from './sample.ts';
import { startSender } from './sender.ts';

const LOOK_EVERY_MS = 1_000;
/** How much memory there may be at the end, relative to the memory after a minute. */
const GROWTH_MAX = 1.2;
/**
 * How many minutes the end is. Between two collections of the whole heap, which come every twelve minutes at 15 sends a second, the
 * memory rises by a third: a single minute would tell how long ago the last one was, and not whether something is kept.
 */
const END_MINUTES = 12;

export interface Extent {
  minutes: number;
  perSecond: number;
}

export interface SoakResult extends Extent {
  samples: Sample[];
  counts: Count[];
  growth: number;
  growthMax: number;
  /** Whether nothing was lost, nothing was doubled, and the memory has not grown. */
  healthy: boolean;
}

/** Runs a gateway as its users start it, with its embedded database and its sandbox, and an endpoint for its events. */
export async function soak(cleanup: Cleanup, extent: Extent, tell: (line: string) => void): Promise<SoakResult> {
  const dataDir = await makeDataDir(cleanup);
  const metricsPort = await freePort();
  const gateway = await startGateway(cleanup, dataDir, {
    WAYPOST_METRICS_PORT: String(metricsPort),
    WAYPOST_LOG_LEVEL: 'warn',
    WAYPOST_RATE_REQUESTS: '100000',
    WAYPOST_RATE_RECIPIENTS: '100000',
  });
  const [tenant] = await makeTestAccounts(gateway, 1);
  if (tenant === undefined) throw new Error('An account was asked for');
  const endpoint = await startChild(cleanup, 'endpoint.ts');
  const api = createGatewayApi(gateway.origin);
  cleanup.add(() => api.close());
  await api.post(tenant.key, '/api/v1/endpoints', { url: `${endpoint.origin}/hook` });
  const dev: unknown = JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8'));

  const sender = startSender(gateway.origin, tenant.key, extent.perSecond);
  const sampler = createSampler({
    pid: gateway.pid,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    dataDir: (await findOutsidePlace(dataDir)) ?? join(dataDir, 'postgres'),
  });
  const samples: Sample[] = [];
  for (let minute = 1; minute <= Math.max(2, Math.round(extent.minutes)); minute++) {
    await lookForAMinute(sampler.look);
    const sample = await sampler.sample(sender.takeMinute());
    samples.push(sample);
    tell(lineOf(sample));
  }
  await sender.stop();
  const store = await openEmbeddedStore(cleanup, dataDir);
  const sandboxUrl = String(memberOf(dev, 'sandbox_url'));
  const parties = { api, key: tenant.key, store, sandboxUrl, endpointUrl: endpoint.origin };
  return judge(extent, samples, await countAll(sender.accepted, parties));
}

async function lookForAMinute(look: () => void): Promise<void> {
  for (const endMs = performance.now() + 60_000; performance.now() < endMs; ) {
    look();
    await wait(LOOK_EVERY_MS);
  }
}

function judge(extent: Extent, samples: Sample[], counts: Count[]): SoakResult {
  const end = samples.slice(1).slice(-END_MINUTES);
  const atEndMb = end.reduce((sum, { memoryMb }) => sum + memoryMb, 0) / end.length;
  const growth = atEndMb / (samples[0]?.memoryMb ?? Number.NaN);
  const exact = counts.every(({ lost, doubled }) => lost === 0 && doubled === 0);
  return { ...extent, samples, counts, growth, growthMax: GROWTH_MAX, healthy: exact && growth <= GROWTH_MAX };
}

function lineOf({ minute, sends, p50Ms, p99Ms, memoryMb, heapMb, openFiles, diskMb, cpuPercent }: Sample): string {
  return [
    `minute ${minute}: ${sends} sends, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    `memory ${memoryMb.toFixed(0)} MB, heap ${heapMb.toFixed(0)} MB, files ${openFiles}, disk ${diskMb.toFixed(0)} MB`,
    `processor ${cpuPercent.gateway.toFixed(0)} % and ${cpuPercent.database.toFixed(0)} % for the database`,
  ].join('; ');
}
