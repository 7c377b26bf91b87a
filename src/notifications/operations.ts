import { Type } from 'typebox';
import { EXAMPLE } from '../http/examples.ts';
import type { DescribedHeader, Operation } from '../http/operation.ts';
import { listOf, ref, text } from '../http/schema-words.ts';

const SIGNATURE: DescribedHeader = {
  required: true,
  description: 'HMAC-SHA256 of the raw bytes of the body with an app secret, given exactly once.',
  schema: text('`sha256=` and 64 hexadecimal digits.'),
  example: 'sha256=<SIGNATURE>',
};

/** How the API description tells of the provider's callback, and of what the operator sees of it. */
export const notificationOperations = {
  verify: {
    id: 'verifyCallback',
    tag: 'Callback',
    description:
      'The provider asks once, when the address is configured there, and gets its challenge back if the verify token is right. Anything else in the query does not matter.',
    query: Type.Object({
      'hub.mode': Type.Literal('subscribe', { description: 'Always `subscribe`.' }),
      'hub.verify_token': text('A verify token of the platform.', { examples: ['<VERIFY_TOKEN>'] }),
      'hub.challenge': text('What to answer.', { examples: ['1158201444'] }),
    }),
    answers: {
      200: {
        description: 'The challenge, byte for byte.',
        contentType: 'text/plain',
        schema: text('The challenge.'),
        example: '1158201444',
      },
    },
    errors: ['verification_failed'],
  },
  receive: {
    id: 'receiveNotification',
    tag: 'Callback',
    description:
      'The provider posts what happened. Once the signature is found right it is committed, and then answered; a body that cannot be read is kept too. The content type is not looked at. After a 503 the provider posts it again.',
    requestHeaders: { 'X-Hub-Signature-256': SIGNATURE },
    body: Type.Unsafe({
      description: "A notification in the provider's own form: any bytes that are signed.",
      examples: [{ object: 'whatsapp_business_account', entry: [] }],
    }),
    answers: { 200: { description: 'It is committed.' } },
    errors: ['invalid_signature', 'payload_too_large'],
  },
  list: {
    id: 'listNotifications',
    tag: 'Platform: operation',
    description: 'Lists what the provider posted, without the bodies. It shows what could not be applied, and why.',
    answers: { 200: { description: 'A page of notifications.', schema: listOf('Notification') } },
  },
  reprocess: {
    id: 'reprocessNotification',
    tag: 'Platform: operation',
    description:
      'Tries again to apply what was set aside. What is already applied stays applied, and is shown as it is.',
    params: { id: `The id of the notification, such as \`${EXAMPLE.notificationId}\`.` },
    answers: { 202: { description: 'It is due now.', schema: ref('Notification') } },
  },
} as const satisfies Record<string, Operation>;
