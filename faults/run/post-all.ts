import { setTimeout as wait } from 'node:timers/promises';
import type { CallbackGate } from '../gates/callback-gate.ts';
import type { Plan, PlannedPosting } from '../plan.ts';

/** The provider's id of a text in the plan. */
function inboundId(seed: number, id: string): string {
  return `wamid.FAULTS-${seed}-${id}`;
}

/** Posts the notifications of the plan, which come besides those of the sandbox. */
export async function postAll(callback: CallbackGate, { seed, postings }: Plan, phoneNumberId: string): Promise<void> {
  await Promise.all(
    postings.map(async (posting) => {
      await wait(posting.atMs);
      callback.post(Buffer.from(bodyOf(seed, posting, phoneNumberId)), posting.kind, posting.copies);
    }),
  );
}

function bodyOf(seed: number, { kind, id }: PlannedPosting, phoneNumberId: string): string {
  const wamid = inboundId(seed, id);
  const timestamp = '1767225600';
  switch (kind) {
    case 'rubbish':
      return `{"rubbish": ${seed}, "${id}": `;
    case 'stray':
      return bodyWith(phoneNumberId, {
        statuses: [{ id: wamid, status: 'sent', timestamp, recipient_id: '15550000000' }],
      });
    case 'inbound':
      return bodyWith(phoneNumberId, {
        messages: [{ from: '447700900123', id: wamid, timestamp, type: 'text', text: { body: 'Hello' } }],
      });
  }
}

function bodyWith(phoneNumberId: string, content: object): string {
  const metadata = { display_phone_number: '15550000001', phone_number_id: phoneNumberId };
  const value = { messaging_product: 'whatsapp', metadata, ...content };
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
  });
}
