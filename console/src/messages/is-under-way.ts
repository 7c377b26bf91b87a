import type { Message } from '../api/message.ts';

/** How often what is under way is read again. */
export const UNDER_WAY_MS = 2_000;

/** Whether the send that made the message is not at its end. The answer of a send raises no event, so such a message must be read again. */
export function isUnderWay({ status }: Message): boolean {
  return status === 'pending' || status === 'transmitting';
}
