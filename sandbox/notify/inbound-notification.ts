import type { Line } from '../directory.ts';
import type { Person } from '../person.ts';
import { envelope } from './envelope.ts';
import { contactOf } from './status-notification.ts';

/** A `messages` notification with one text from a person. */
export function inboundNotification(line: Line, person: Person, message: { id: string; text: string }): unknown {
  return envelope(line, {
    contacts: [contactOf(person)],
    messages: [
      {
        ...(person.waId === undefined ? {} : { from: person.waId }),
        from_user_id: person.userId,
        id: message.id,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'text',
        text: { body: message.text },
      },
    ],
  });
}
