import fc from 'fast-check';
import { DEMO_TEMPLATES } from './demo-templates.ts';

const odd = fc.oneof(fc.anything(), fc.constant({ toString: null, length: 3 }), fc.constant(['x']));
const message = fc.record(
  {
    messaging_product: fc.oneof({ weight: 9, arbitrary: fc.constant('whatsapp') }, odd),
    to: fc.oneof({ weight: 4, arbitrary: fc.constant('+447700900126') }, odd),
    recipient: odd,
    type: fc.oneof(fc.constantFrom('text', 'template', 'image'), odd),
    text: fc.oneof(fc.record({ body: odd, preview_url: odd }), odd),
    template: fc.record({
      name: fc.constantFrom(...DEMO_TEMPLATES.map(({ name }) => name)),
      language: fc.oneof(fc.constant({ code: 'en_US' }), odd),
      components: fc.oneof(
        fc.array(
          fc.record(
            {
              type: fc.oneof(fc.constantFrom('header', 'body', 'button', 'carousel', 'limited_time_offer'), odd),
              sub_type: fc.oneof(fc.constantFrom('url', 'quick_reply', 'copy_code'), odd),
              index: fc.oneof(fc.constantFrom(0, '1'), odd),
              parameters: fc.oneof(fc.array(fc.oneof(fc.record({ type: fc.constant('text'), text: odd }), odd)), odd),
              cards: odd,
            },
            { requiredKeys: [] },
          ),
        ),
        odd,
      ),
    }),
    context: odd,
    biz_opaque_callback_data: odd,
    status: odd,
  },
  { requiredKeys: ['messaging_product'] },
);
/** Bodies for the provider's send: some nearly good, and some of any kind. */
export const anyMessage = fc.oneof(
  message.map((value) => JSON.stringify(value, (_name, inner) => (typeof inner === 'bigint' ? String(inner) : inner))),
  fc.json(),
  fc.string(),
  fc.constant('['.repeat(100_000)),
  fc.constant(`{"messaging_product":"whatsapp","to":"+15552000005","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
);
