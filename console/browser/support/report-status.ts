import type { MadeAccount, World } from './world.ts';

/** The sandbox accepts a message to this number, and then posts nothing about it. So the test itself reports what becomes of it. */
const SILENT = '+15552000011';

/** Sends one message to the silent number, and returns its ids. */
export async function sendSilent(world: World, { key }: MadeAccount): Promise<SentMessage> {
  const body = { to: SILENT, type: 'text', text: { body: 'Hello' } };
  const { request_id: requestId, results } = await world.call('POST', '/api/v1/messages/send', body, key);
  const entry = Object(Array.isArray(results) ? results[0] : undefined);
  return { requestId: String(requestId), id: String(entry.id), messageId: String(entry.message_id) };
}

export interface SentMessage {
  requestId: string;
  id: string;
  /** The provider's id of the message. */
  messageId: string;
}

/** Reports a status of a message as the provider does. */
export function reportStatus(
  world: World,
  { businessAccountId, phoneNumberId }: MadeAccount,
  { messageId }: SentMessage,
  status: string,
): Promise<void> {
  const told = {
    id: messageId,
    status,
    timestamp: String(Math.floor(Date.now() / 1_000)),
    recipient_id: SILENT.slice(1),
  };
  const metadata = { display_phone_number: '15550000000', phone_number_id: phoneNumberId };
  const value = { messaging_product: 'whatsapp', metadata, statuses: [told] };
  const entry = [{ id: businessAccountId, changes: [{ field: 'messages', value }] }];
  return world.sandbox('notifications', { object: 'whatsapp_business_account', entry });
}
