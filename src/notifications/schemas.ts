import { Type } from 'typebox';
import { EXAMPLE } from '../http/examples.ts';
import { answer, count, idOf, orNull, text, time, word } from '../http/schema-words.ts';

/** Shared schemas of notifications. */
export const notificationSchemas = {
  Notification: answer(
    'What the provider posted, without its body.',
    {
      id: idOf('ntf', 'The id of the notification.'),
      received_at: time('When the gateway received it.'),
      state: word('What has become of it.', ['waiting', 'applied', 'set_aside']),
      kinds: Type.Array(text('A kind of item.'), {
        description: 'The kinds of items in it; empty until it is looked at.',
      }),
      error: orNull(
        text(
          'Why it, or a part of it, could not be applied: a word, or several parted by `, `. null if nothing stood in the way.',
        ),
      ),
      attempts: count('How often the gateway has tried to apply it.'),
    },
    {
      id: EXAMPLE.notificationId,
      received_at: EXAMPLE.at,
      state: 'applied',
      kinds: ['messages.status.delivered'],
      error: null,
      attempts: 1,
    },
  ),
};
