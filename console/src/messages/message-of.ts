import { isObject } from '../api/decode.ts';
import { type Message, message, type WaypostEvent } from '../api/message.ts';

/** The message of an event, as it was then; undefined for events about other things. */
export function messageOf({ data }: WaypostEvent): Message | undefined {
  return isObject(data) && data.message !== undefined ? message(data.message) : undefined;
}
