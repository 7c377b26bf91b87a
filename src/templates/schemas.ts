import { Type } from 'typebox';
import { EXAMPLE } from '../http/examples.ts';
import { answer, count, idOf, orNull, text, time, word } from '../http/schema-words.ts';

/** Shared schemas of templates. */
export const templateSchemas = {
  Template: answer(
    'A message template of the provider, in one language. Its words are in lower case.',
    {
      id: idOf('tpl', 'The id of the template.'),
      name: text('Its name.'),
      language: text('Its language, such as `en_US`.'),
      status: text('Only an `approved` one is sent. Others are `pending`, `rejected`, `paused`, `disabled` and so on.'),
      category: text('`utility`, `marketing` or `authentication`.'),
      parameter_format: word('How its variables are named.', ['positional', 'named']),
      components: Type.Array(Type.Unsafe({ type: 'object', additionalProperties: true }), {
        description: 'Its parts, as the provider has them.',
      }),
      quality: orNull(text('How people take it, as the provider rates it.')),
      updated_at: time('When it last changed.'),
    },
    {
      id: EXAMPLE.templateId,
      name: 'order_update',
      language: 'en_US',
      status: 'approved',
      category: 'utility',
      parameter_format: 'positional',
      components: [{ type: 'BODY', text: 'Hello {{1}}, your order is on its way.' }],
      quality: null,
      updated_at: EXAMPLE.at,
    },
  ),
  TemplateSync: answer(
    'What reading the templates has changed.',
    {
      added: count('How many were new.'),
      changed: count('How many were different.'),
      removed: count('How many no longer exist.'),
      total: count('How many there are now.'),
    },
    { added: 1, changed: 0, removed: 0, total: 12 },
  ),
};
