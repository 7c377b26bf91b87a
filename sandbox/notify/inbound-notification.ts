import type { Line } from '../directory.ts';
import type { Person } from '../person.ts';
import { envelope } from './envelope.ts';
import { contactOf } from './status-notification.ts';

/** What a person writes: a text, or the press of a quick reply button under a template. */
export interface Inbound {
  id: string;
  content: { text: string } | { button: { payload: string; text: string } };
  /** The provider's id of the message that it answers. */
  replyTo?: string;
}

/** A `messages` notification with one message from a person. */
export function inboundNotification(line: Line, person: Person, { id, content, replyTo }: Inbound): unknown {
  return envelope(line, {
    contacts: [contactOf(person)],
    messages: [
      {
        ...(person.waId === undefined ? {} : { from: person.waId }),
        from_user_id: person.userId,
        id,
        timestamp: String(Math.floor(Date.now() / 1000)),
        ...(replyTo === undefined ? {} : { context: { from: line.displayPhoneNumber, id: replyTo } }),
        ...('text' in content
          ? { type: 'text', text: { body: content.text } }
          : { type: 'button', button: content.button }),
      },
    ],
  });
}
