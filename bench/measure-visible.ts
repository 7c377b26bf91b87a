import type { CallbackBench } from './callback-bench.ts';
import { checkStatuses } from './check-statuses.ts';
import { percentile } from './harness/figures.ts';
import { type GatewayApi, listOf, memberOf } from './harness/gateway-api.ts';
import type { LiveTenant } from './harness/platform.ts';
import { postAll } from './harness/post-all.ts';
import { waitUntil } from './harness/wait-until.ts';
import { sendMessages } from './send-messages.ts';
import { type Step, statusPost } from './status-posts.ts';

const STEP: Step = 'delivered';
/** So many that a notification never waits for a connection while the gateway keeps up. */
const POSTERS = 64;

export interface Visible {
  p99Ms: number;
  lost: number;
  doubled: number;
}

/** How long it takes from the answer to a notification until its event is in the feed that the customer reads. */
export async function measureVisible(
  { api, tenants, appSecret, gatewayOrigin }: CallbackBench,
  { perSecond, durationMs }: { perSecond: number; durationMs: number },
): Promise<Visible> {
  const messages = await sendMessages(api, tenants, (durationMs / 1_000) * perSecond);
  const posts = messages.map((message) => statusPost(appSecret, message, STEP));
  const answeredMs: number[] = [];
  const seenMs = new Map<string, number>();
  const reading = { over: false };
  const readers = await Promise.all(tenants.map((tenant) => startReader(api, tenant, seenMs, reading)));
  const onAnswer = (index: number) => {
    answeredMs[index] = performance.now();
  };
  await postAll(gatewayOrigin, posts, { callers: POSTERS, perSecond, onAnswer });
  await waitUntil('every status is seen', async () => seenMs.size >= messages.length);
  reading.over = true;
  await Promise.all(readers.map(({ ended }) => ended));
  // If the reader had the event before the poster had its answer, it took no time at all.
  const latenciesMs = messages.map(({ id }, index) =>
    Math.max(0, (seenMs.get(id) ?? Number.NaN) - (answeredMs[index] ?? Number.NaN)),
  );
  return { p99Ms: percentile(latenciesMs, 99), ...(await checkStatuses(api, messages, [STEP])) };
}

/** Reads the feed of an account, from now until the reading is stopped, as a customer does who wants to know at once. */
async function startReader(
  api: GatewayApi,
  { key }: LiveTenant,
  seenMs: Map<string, number>,
  reading: { over: boolean },
): Promise<{ ended: Promise<void> }> {
  const first = await api.get(key, '/api/v1/events?limit=1');
  let after = Number(memberOf(first, 'latest_sequence'));
  const read = async () => {
    while (!reading.over) {
      const page = await api.get(key, `/api/v1/events?after=${after}&limit=100&wait=1`);
      const nowMs = performance.now();
      for (const event of listOf(memberOf(page, 'data'))) {
        after = Number(memberOf(event, 'sequence'));
        seenMs.set(String(memberOf(event, 'data', 'message', 'id')), nowMs);
      }
    }
  };
  return { ended: read() };
}
