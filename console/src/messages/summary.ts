import { isObject } from '../api/decode.ts';
import type { Message } from '../api/message.ts';
import { seenName } from '../parts/visible-marks.ts';

/** The number of the person at the other end; null if the provider hides it. */
export function numberOf({ direction, from, to }: Message): string | null {
  return direction === 'inbound' ? from : to;
}

/** The person at the other end: the number, or the provider's id; null if neither is known. */
export function personOf(message: Message): string | null {
  return numberOf(message) ?? message.user_id;
}

/** What the person who wrote is called, by their own choice; empty if that is not known. It stands beside `personOf`, and never for it. */
export function calledOf({ profile }: Message): string {
  return profile?.name || profile?.username || '';
}

/** What a message says, in one line. Events have no content, so then only its type is known. */
export function summaryOf({ type, content }: Message): string {
  if (!isObject(content)) return type;
  if (type === 'text' && typeof content.body === 'string') return seenName(content.body);
  if (type === 'template' && typeof content.name === 'string') return `Template ${content.name}`;
  return type;
}
