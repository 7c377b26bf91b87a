import type { MessageContent, OutboundMessage } from '../port.ts';

/**
 * The body of `POST /{version}/{phone_number_id}/messages`, one recipient a call.
 * Messages that share one content object share its JSON text too, so a content must not be changed after its first use.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages
 */
export function encodeMessage(message: OutboundMessage): string | Buffer {
  // The provider's documents call recipient_type optional, its OpenAPI file required: it is always sent.
  const before = `{"messaging_product":"whatsapp","recipient_type":"individual",${recipientMember(message)},`;
  const after = `,"biz_opaque_callback_data":${JSON.stringify(message.id)}}`;
  const shared = sharedMembers(message.content);
  if (typeof shared === 'string') return `${before}${shared}${after}`;
  return Buffer.concat([Buffer.from(before), shared, Buffer.from(after)]);
}

/** A number keeps its plus: without it the provider puts the sender's own country code in front. */
function recipientMember({ recipient }: OutboundMessage): string {
  return 'phone' in recipient
    ? `"to":${JSON.stringify(recipient.phone)}`
    : `"recipient":${JSON.stringify(recipient.userId)}`;
}

/** A longer text is kept in bytes: to put a mebibyte into bytes for each of 50 recipients was a third of what it cost to transmit them. */
const TEXT_CHARACTERS_MAX = 8_192;
/** The JSON of each content while the content itself lives: a request of 50 recipients encodes its template once. */
const SHARED_MEMBERS = new WeakMap<MessageContent, string | Buffer>();

function sharedMembers(content: MessageContent): string | Buffer {
  const known = SHARED_MEMBERS.get(content);
  if (known !== undefined) return known;
  const text = encodeContent(content);
  const encoded = text.length > TEXT_CHARACTERS_MAX ? Buffer.from(text) : text;
  SHARED_MEMBERS.set(content, encoded);
  return encoded;
}

function encodeContent(content: MessageContent): string {
  switch (content.type) {
    case 'text': {
      const { body, preview_url } = content.text;
      return `"type":"text","text":${JSON.stringify({ body, preview_url })}`;
    }
    case 'template': {
      const { name, language, components } = content.template;
      // JSON.stringify leaves out what is undefined. `language.policy` is not sent: no current example has it.
      return `"type":"template","template":${JSON.stringify({ name, language: { code: language }, components })}`;
    }
  }
}
