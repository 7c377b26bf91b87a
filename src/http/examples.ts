/** What the examples of the API description are made of: made-up ids, test numbers, and placeholders for the rest. */
export const EXAMPLE = {
  accountId: '01991e9a-6c00-7a3b-8f52-0d6c1b7e4a90',
  requestId: 'req_01k4fak8zte8hbt2w5n6q4r1v0',
  messageId: 'msg_01k4fak8zve8hbt2w5n6q4r1v1',
  channelId: 'chn_01k4fa0000e8hbt2w5n6q4r1v2',
  keyId: 'key_01k4fa0001e8hbt2w5n6q4r1v3',
  eventId: 'evt_01k4fakb2xe8hbt2w5n6q4r1v4',
  endpointId: 'end_01k4fa4411e8hbt2w5n6q4r1v5',
  attemptId: 'att_01k4fakb9qe8hbt2w5n6q4r1v6',
  templateId: 'tpl_01k4fa1717e8hbt2w5n6q4r1v7',
  notificationId: 'ntf_01k4fakb1me8hbt2w5n6q4r1v8',
  auditId: 'aud_01k4fa0002e8hbt2w5n6q4r1v9',
  providerMessageId: '<PROVIDER_MESSAGE_ID>',
  phone: '+447700900123',
  otherPhone: '+447700900124',
  channelPhone: '+447700900001',
  at: '2026-01-31T12:00:00.000Z',
  later: '2026-01-31T12:00:01.250Z',
  url: 'https://customer.example/events',
} as const;

/** A message in examples, without its content. */
export const EXAMPLE_MESSAGE = {
  id: EXAMPLE.messageId,
  request_id: EXAMPLE.requestId,
  account_id: EXAMPLE.accountId,
  channel_id: EXAMPLE.channelId,
  direction: 'outbound',
  from: EXAMPLE.channelPhone,
  to: EXAMPLE.phone,
  user_id: null,
  type: 'text',
  reply_to: null,
  status: 'delivered',
  message_id: EXAMPLE.providerMessageId,
  client_reference: 'order-42',
  held: false,
  error: null,
  pricing: { billable: false, model: 'PMP', type: 'free_customer_service', category: 'service' },
  created_at: EXAMPLE.at,
  updated_at: EXAMPLE.later,
};

/** The base of the error pages in examples. */
export const EXAMPLE_DOCS_URL = 'https://waypost.example/docs/errors';
