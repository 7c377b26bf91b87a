import { createHmac } from 'node:crypto';
import type { LiveTenant } from './harness/platform.ts';
import type { Post } from './harness/post-all.ts';

/** A message that the provider has taken, with what its notifications need to name it. */
export interface SentMessage {
  tenant: LiveTenant;
  id: string;
  providerMessageId: string;
  to: string;
}

export type Step = 'sent' | 'delivered' | 'read';

/**
 * One signed notification with one status, as the provider writes it.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status
 */
export function statusPost(appSecret: string, message: SentMessage, step: Step): Post {
  const body = JSON.stringify(notificationOf(message, step));
  const signature = createHmac('sha256', appSecret).update(body).digest('hex');
  return {
    path: '/api/messaging/webhook',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
    body,
  };
}

function notificationOf({ tenant, id, providerMessageId, to }: SentMessage, step: Step): unknown {
  const waId = to.slice(1);
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15559000000', phone_number_id: tenant.phoneNumberId },
    contacts: [{ profile: { name: 'Ada' }, wa_id: waId }],
    statuses: [
      {
        id: providerMessageId,
        status: step,
        timestamp: String(Math.floor(Date.now() / 1_000)),
        recipient_id: waId,
        biz_opaque_callback_data: id,
        pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' },
      },
    ],
  };
  const entry = { id: tenant.businessAccountId, changes: [{ field: 'messages', value }] };
  return { object: 'whatsapp_business_account', entry: [entry] };
}
