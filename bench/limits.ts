import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { CHANNEL_PER_SECOND, measureChannelRate, RATE_CALLERS } from './channel-rate.ts';
import { createGatewayTarget } from './gateway-target.ts';
import { startChild } from './harness/child.ts';
import type { Cleanup } from './harness/cleanup.ts';
import { type Extent, type LoneResult, readAlone } from './harness/compare.ts';
import { percentile } from './harness/figures.ts';
import { type Gateway, makeDataDir, startGateway } from './harness/gateway.ts';
import { steadyLoad, type Target } from './harness/load.ts';
import { type LiveTenant, makeLiveAccounts } from './harness/platform.ts';
import { timeAdmission } from './time-admission.ts';

/** What one key may do in a second by default. The flood asks for ten times as much. */
const SHARE = { requests: 50, recipients: 500 };
const TIMES = 10;
/** A provider at the usual distance. Its connections are what accounts would compete for in an unfair queue. */
const PROVIDER_DELAY_MS = 100;

export interface LimitsResult {
  alone: LoneResult[];
}

/**
 * Measures what the limits cost, and whether they protect other accounts from one account's flood: the median of a quiet account, alone and
 * beside one that asks for ten times its share. The limits have their defaults.
 */
export async function benchLimits(cleanup: Cleanup, extent: Extent): Promise<LimitsResult> {
  const stub = await startChild(cleanup, 'stub.ts');
  await request(`${stub.origin}/_bench/turn?delay_ms=${PROVIDER_DELAY_MS}`, { method: 'POST' });
  const settings = { WAYPOST_SANDBOX: 'off', WAYPOST_LOG_LEVEL: 'warn', WAYPOST_PROVIDER_URL: stub.origin };
  const gateway = await startGateway(cleanup, await makeDataDir(cleanup), settings);
  const [quiet, flooding] = await makeLiveAccounts(gateway, 2);
  if (quiet === undefined || flooding === undefined) throw new Error('Two accounts were asked for');
  const target = createGatewayTarget(gateway.origin, [quiet.key]);
  await medianOf(target, extent.warmUpMs);
  const ratios = { single: [] as number[], many: [] as number[] };
  for (let round = 0; round < extent.rounds; round++) {
    const alone = await medianOf(target, extent.roundMs);
    const besideSingle = await beside(gateway, flooding, 1, () => medianOf(target, extent.roundMs));
    const besideMany = await beside(gateway, flooding, 50, () => medianOf(target, extent.roundMs));
    ratios.single.push(besideSingle / alone);
    ratios.many.push(besideMany / alone);
  }
  const name = (what: string) => `median of a quiet account beside ${what}, against alone`;
  return {
    alone: [
      readAlone(name(`${SHARE.requests * TIMES} requests/s`), ratios.single, { max: 1.5 }),
      readAlone(name(`${SHARE.recipients * TIMES} recipients/s`), ratios.many, { max: 1.5 }),
      readAlone(
        `a channel of ${CHANNEL_PER_SECOND} messages a second, ${RATE_CALLERS} callers: messages a second`,
        await measureChannelRate(cleanup, extent),
        { min: 0.9 * CHANNEL_PER_SECOND },
      ),
      readAlone('key and limits of a request: µs, median', await timeAdmission(extent.rounds), { max: 100 }),
    ],
  };
}

/** A tenth of the share, so that a request of the quiet account hardly ever meets another request of that account. */
async function medianOf(target: Target, durationMs: number): Promise<number> {
  return percentile((await steadyLoad(target, SHARE.requests / 5, durationMs)).latenciesMs, 50);
}

/** Measures while the other account asks for ten times its share. Most of that is refused. */
async function beside(
  { origin }: Gateway,
  { key }: LiveTenant,
  recipients: number,
  measure: () => Promise<number>,
): Promise<number> {
  const stop = new AbortController();
  const perSecond = TIMES * (recipients === 1 ? SHARE.requests : SHARE.recipients / recipients);
  const flood = floodUntil(stop.signal, origin, key, recipients, perSecond);
  // The first second is a burst, which the limit allows.
  await wait(1_500);
  const measured = await measure().finally(() => stop.abort());
  const { taken, refused } = await flood;
  if (taken === 0 || refused === 0) throw new Error(`No flood: ${taken} taken and ${refused} refused`);
  return measured;
}

async function floodUntil(stop: AbortSignal, origin: string, key: string, recipients: number, perSecond: number) {
  const seen = { taken: 0, refused: 0 };
  const under = new Set<Promise<void>>();
  const startMs = performance.now();
  let sent = 0;
  while (!stop.aborted) {
    for (; sent < ((performance.now() - startMs) * perSecond) / 1_000; sent++) {
      const one = sendOnce(origin, key, recipients).then((status) => {
        if (status === 200) seen.taken++;
        else seen.refused++;
        under.delete(one);
      });
      under.add(one);
    }
    await wait(2);
  }
  await Promise.all(under);
  return seen;
}

let lastPerson = 0;

async function sendOnce(origin: string, key: string, recipients: number): Promise<number> {
  const to = Array.from({ length: recipients }, () => `+1555${String(++lastPerson % 10_000_000).padStart(7, '0')}`);
  const { statusCode, body } = await request(`${origin}/api/v1/messages/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to, type: 'text', text: { body: 'An offer for everybody.' } }),
  });
  body.resume();
  await once(body, 'close');
  return statusCode;
}
