import { isObject } from '../api/decode.ts';
import type { Message } from '../api/message.ts';
import { seenText } from '../parts/visible-marks.ts';

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

/**
 * The words of a person in a message: what they wrote, or what stands on what they pressed or chose; empty if it has none that are known.
 * Other news may have a body that nobody wrote.
 */
export function wordsOf({ type, content }: Pick<Message, 'type' | 'content'>): string {
  const member = WORDS[type];
  if (!isObject(content) || member === undefined) return '';
  const chosen = type === 'interactive' ? content[String(content.type)] : content;
  const words = isObject(chosen) ? chosen[member] : undefined;
  return typeof words === 'string' && words !== '' ? seenText(words) : '';
}

/** Where the words stand, by the type of the message. */
const WORDS: Record<string, string | undefined> = {
  ...{ text: 'body', image: 'caption', video: 'caption', document: 'caption' },
  // The answer to buttons of a template, to those of another message or a list, and to a message as a whole.
  ...{ button: 'text', interactive: 'title', reaction: 'emoji' },
};

/** What a message says, in one line. Events have no content, so then only its type is known. */
export function summaryOf(message: Message): string {
  const { type, content } = message;
  if (type === 'template' && isObject(content) && typeof content.name === 'string') return `Template ${content.name}`;
  const words = wordsOf(message);
  if (words === '') return type;
  return type === 'text' ? words : `${type}: ${words}`;
}
