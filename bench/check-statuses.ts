import { type GatewayApi, listOf, memberOf } from './harness/gateway-api.ts';
import type { LiveTenant } from './harness/platform.ts';
import type { SentMessage, Step } from './status-posts.ts';

const READERS = 32;

/** How many events all accounts have so far. Each status that took effect is one. */
export async function countEvents(api: GatewayApi, tenants: readonly LiveTenant[]): Promise<number> {
  const feeds = await Promise.all(tenants.map(({ key }) => api.get(key, '/api/v1/events?limit=1')));
  return feeds.reduce<number>((sum, feed) => sum + Number(memberOf(feed, 'latest_sequence')), 0);
}

/** Reads every message back. It must show each step once, after the send's own outcome, and its status must be that of the last step. */
export async function checkStatuses(
  api: GatewayApi,
  messages: readonly SentMessage[],
  steps: readonly Step[],
): Promise<{ lost: number; doubled: number }> {
  const found = { lost: 0, doubled: 0 };
  let next = 0;
  const read = async () => {
    for (let message = messages[next++]; message !== undefined; message = messages[next++]) {
      const stored = await api.get(message.tenant.key, `/api/v1/messages/${message.id}`);
      const told = listOf(memberOf(stored, 'timeline')).map((entry) => memberOf(entry, 'status'));
      const missing = steps.filter((step) => !told.includes(step)).length;
      found.lost += missing === 0 && memberOf(stored, 'status') !== steps.at(-1) ? 1 : missing;
      found.doubled += Math.max(0, told.length - 1 - (steps.length - missing));
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  return found;
}
