import type { MessageContent, OutboundMessage } from '../port.ts';

/**
 * The body of `POST /{version}/{phone_number_id}/messages`, one recipient a call.
 * Messages that share one content object share its JSON text too, so a content must not be changed after its first use.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages
 */
export function encodeMessage(message: OutboundMessage): string {
  // The provider's documents call recipient_type optional, its OpenAPI file required: it is always sent.
  return `{"messaging_product":"whatsapp","recipient_type":"individual",${recipientMember(message)},${sharedMembers(message.content)},"biz_opaque_callback_data":${JSON.stringify(message.id)}}`;
}

/** A number keeps its plus: without it the provider puts the sender's own country code in front. */
function recipientMember({ recipient }: OutboundMessage): string {
  return 'phone' in recipient
    ? `"to":${JSON.stringify(recipient.phone)}`
    : `"recipient":${JSON.stringify(recipient.userId)}`;
}

/** The text of each content while the content itself lives: a request of 50 recipients encodes its template once. */
const SHARED_MEMBERS = new WeakMap<MessageContent, string>();

function sharedMembers(content: MessageContent): string {
  const known = SHARED_MEMBERS.get(content);
  if (known !== undefined) return known;
  const encoded = encodeContent(content);
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
