import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.ts';
import type { MessageContent, OutboundMessage } from '../port.ts';
import { encodeMessage } from './encode.ts';

const TEXT: MessageContent = { type: 'text', text: { body: 'Your parcel is here', preview_url: false } };

const encode = (message: OutboundMessage) => String(encodeMessage(message));

describe('encodeMessage', () => {
  it('addresses a phone number with its plus and carries our id in the opaque member', () => {
    assert.deepEqual(JSON.parse(encode({ id: 'msg_1', recipient: { phone: '+447700900123' }, content: TEXT })), {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+447700900123',
      type: 'text',
      text: { body: 'Your parcel is here', preview_url: false },
      biz_opaque_callback_data: 'msg_1',
    });
  });

  it('addresses a user id by the recipient member and sends no number', () => {
    const body: unknown = JSON.parse(encode({ id: 'msg_2', recipient: { userId: 'GB.ENT.1a' }, content: TEXT }));
    assert.deepEqual(body, {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      recipient: 'GB.ENT.1a',
      type: 'text',
      text: { body: 'Your parcel is here', preview_url: false },
      biz_opaque_callback_data: 'msg_2',
    });
  });

  it('sends a template with its language as an object and its components untouched', () => {
    const components = [{ type: 'BODY', parameters: [{ type: 'text', text: 'Ada' }], a_new_member: { x: [null] } }];
    const content: MessageContent = {
      type: 'template',
      template: { name: 'order_update', language: 'en_US', components },
    };
    assert.deepEqual(JSON.parse(encode({ id: 'msg_3', recipient: { phone: '+447700900123' }, content })), {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+447700900123',
      type: 'template',
      template: { name: 'order_update', language: { code: 'en_US' }, components },
      biz_opaque_callback_data: 'msg_3',
    });
  });

  it('leaves components out when the template has none', () => {
    const content: MessageContent = { type: 'template', template: { name: 'hello_world', language: 'en_US' } };
    const body = encode({ id: 'msg_4', recipient: { phone: '+447700900123' }, content });
    assert.ok(!body.includes('components'), body);
  });

  it('gives every recipient of one shared content its own body', () => {
    const bodies = ['+447700900123', '+447700900124'].map((phone, n) =>
      encode({ id: `msg_${n}`, recipient: { phone }, content: TEXT }),
    );
    assert.deepEqual(
      bodies.map((body) => [JSON.parse(body).to, JSON.parse(body).biz_opaque_callback_data]),
      [
        ['+447700900123', 'msg_0'],
        ['+447700900124', 'msg_1'],
      ],
    );
  });

  it('puts a large content into bytes once, however many have it, and gives each its own body all the same', (t) => {
    const from = t.mock.method(Buffer, 'from');
    const components = [{ type: 'new', it: 'x'.repeat(100_000) }];
    const content: MessageContent = { type: 'template', template: { name: 'a', language: 'en_US', components } };
    const bodies = ['msg_6', 'msg_7', 'msg_8'].map((id) =>
      encodeMessage({ id, recipient: { phone: '+447700900123' }, content }),
    );
    const large = from.mock.calls.filter(({ result }) => Number(result?.length) > 100_000);
    assert.equal(large.length, 1);
    const last = JSON.parse(String(bodies[2]));
    assert.deepEqual([last.template.components, last.biz_opaque_callback_data], [components, 'msg_8']);
  });

  it('carries any text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (body) => {
        const content: MessageContent = { type: 'text', text: { body, preview_url: true } };
        const encoded = encode({ id: 'msg_5', recipient: { phone: '+447700900123' }, content });
        assert.equal(JSON.parse(encoded).text.body, body);
      }),
    );
  });
});
