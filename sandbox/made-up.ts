import { createHash, randomBytes } from 'node:crypto';

/** The bytes around the person's number and the random part in the ids that the provider gives to outbound messages. */
const MESSAGE_ID_START = Buffer.from([0x1c, 0x18]);
const MESSAGE_ID_MIDDLE = Buffer.from([0x15, 0x02, 0x00, 0x11, 0x18, 0x14]);
const MESSAGE_ID_END = Buffer.from([0x00]);
const RANDOM_BYTES = 10;
/** How many characters of a person's number or id go into a message id. The provider's ids have at most 128 characters. */
const PERSON_LENGTH_MAX = 15;

const TRACE_ID_BYTES = 17;

/** A new message id, built like the provider's: unique, and with the person's number inside. */
export function newMessageId(person: string): string {
  const who = Buffer.from(person.slice(0, PERSON_LENGTH_MAX), 'latin1');
  const random = Buffer.from(randomBytes(RANDOM_BYTES).toString('hex').toUpperCase(), 'latin1');
  const parts = [MESSAGE_ID_START, Buffer.from([who.length]), who, MESSAGE_ID_MIDDLE, random, MESSAGE_ID_END];
  return `wamid.${Buffer.concat(parts).toString('base64')}`;
}

/** A new trace id, as it stands in every error body. */
export function newTraceId(): string {
  return `A${randomBytes(TRACE_ID_BYTES).toString('base64url')}`;
}

/** So many digits, always the same for the same text. The first one is not 0. */
export function digitsOf(text: string, count: number): string {
  const number = BigInt(`0x${createHash('sha256').update(text).digest('hex')}`).toString();
  return number.slice(0, count);
}
