import { Type } from 'typebox';
import { EXAMPLE } from '../http/examples.ts';
import { answer, count, idOf, orNull, text, time, word } from '../http/schema-words.ts';

/** Shared schemas of templates. */
export const templateSchemas = {
  Template: answer(
    'A message template of the provider, in one language. Its words are in lower case.',
    {
      id: idOf('tpl', 'Our id of the template, to read it by. A send names it by `name` and `language` instead.'),
      name: text('What a send gives as `template.name`. All languages of a template share it.'),
      language: text(
        'What a send gives as `template.language`, such as `en_US`. Each language is an entry of its own.',
      ),
      status: text('Only an `approved` one is sent. Others are `pending`, `rejected`, `paused`, `disabled` and so on.'),
      category: text('`utility`, `marketing` or `authentication`.'),
      parameter_format: word(
        'Whether its variables are numbered, as in `{{1}}`, or have names, as in `{{first_name}}`.',
        ['positional', 'named'],
      ),
      components: Type.Array(Type.Unsafe({ type: 'object', additionalProperties: true }), {
        description: "Its header, body, buttons and so on, in the provider's own shape.",
      }),
      quality: orNull(text('How people take it, as the provider rates it.')),
      updated_at: time('When the gateway last learned of a change.'),
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
      removed: count('How many the provider no longer has.'),
      total: count('How many there are now, in all languages and statuses.'),
    },
    { added: 1, changed: 0, removed: 0, total: 12 },
  ),
};
