import type { Line } from '../directory.ts';

/** What is around everything that the provider notifies about messages of one phone number. */
export function envelope(line: Line, content: object): unknown {
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: line.displayPhoneNumber, phone_number_id: line.phoneNumberId },
    ...content,
  };
  const entry = { id: line.businessAccountId, changes: [{ field: 'messages', value }] };
  return { object: 'whatsapp_business_account', entry: [entry] };
}
