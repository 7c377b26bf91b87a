import { type GatewayApi, listOf, memberOf } from './harness/gateway-api.ts';
import type { LiveTenant } from './harness/platform.ts';
import type { SentMessage } from './status-posts.ts';

const RECIPIENTS = 50;

/** Sends at least so many messages to the stub, evenly from all channels. Returns the messages that the provider has taken. */
export async function sendMessages(
  api: GatewayApi,
  tenants: readonly LiveTenant[],
  count: number,
): Promise<SentMessage[]> {
  const requestsEach = Math.ceil(count / RECIPIENTS / tenants.length);
  const sent = await Promise.all(
    tenants.map(async (tenant) => {
      const messages: SentMessage[] = [];
      for (let request = 0; request < requestsEach; request++) messages.push(...(await sendOne(api, tenant)));
      return messages;
    }),
  );
  // One message of each channel after another, as they would come in real life.
  return Array.from({ length: requestsEach * RECIPIENTS }, (_, place) => place).flatMap((place) =>
    sent.flatMap((messages) => messages[place] ?? []),
  );
}

async function sendOne(api: GatewayApi, tenant: LiveTenant): Promise<SentMessage[]> {
  const to = Array.from({ length: RECIPIENTS }, nextNumber);
  const answer = await api.post(tenant.key, '/api/v1/messages/send', {
    to,
    type: 'text',
    text: { body: 'Your parcel is here.' },
  });
  if (memberOf(answer, 'accepted_count') !== RECIPIENTS)
    throw new Error(`Not all were accepted: ${JSON.stringify(answer)}`);
  return listOf(memberOf(answer, 'results')).map((entry) => ({
    tenant,
    id: String(memberOf(entry, 'id')),
    providerMessageId: String(memberOf(entry, 'message_id')),
    to: String(memberOf(entry, 'to')),
  }));
}

let lastNumber = 0;

/** Numbers are used in turn, so that nobody is written to often enough to reach the limit for a pair of numbers. */
function nextNumber(): string {
  lastNumber = (lastNumber + 1) % 10_000_000;
  return `+1555${String(lastNumber).padStart(7, '0')}`;
}
