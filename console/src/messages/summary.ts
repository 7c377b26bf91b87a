import { isObject } from '../api/decode.ts';
import type { Message } from '../api/message.ts';

/** The person at the other end: the number, or the provider's id. */
export function personOf({ direction, from, to, user_id: userId }: Message): string {
  return (direction === 'inbound' ? from : to) ?? userId ?? 'a person without a number';
}

/** What a message says, in one line. Events have no content, so then only its type is known. */
export function summaryOf({ type, content }: Message): string {
  if (!isObject(content)) return type;
  if (type === 'text' && typeof content.body === 'string') return content.body;
  if (type === 'template' && typeof content.name === 'string') return `Template ${content.name}`;
  return type;
}
