import { type TSchema, type TSchemaOptions, Type } from 'typebox';
import { EXAMPLE } from '../../http/examples.ts';
import { byWord, ref } from '../../http/schema-words.ts';
import { textContent } from '../content-schemas.ts';
import { CONTENT_TYPES, type ContentType } from '../message.ts';
import { SEND_LIMITS } from './send-limits.ts';

const REFERENCE = Type.String({
  minLength: 1,
  maxLength: SEND_LIMITS.referenceCharacters,
  description: 'A name of your own for it, which comes back in answers and events.',
});
const LANGUAGE = { minLength: 1, maxLength: SEND_LIMITS.languageCharacters };

const COMPONENT = closed(
  {
    type: Type.String({ minLength: 1, maxLength: 512, description: 'Such as `header`, `body`, `button`, `carousel`.' }),
    sub_type: any('The kind of a button, such as `url` or `quick_reply`.'),
    index: any('Which button it is: 0 to 9, as a number or a text.'),
    parameters: any('The values of the variables: objects such as `{"type": "text", "text": "Ada"}`.'),
    cards: any('The cards of a carousel: objects with `card_index` and `components`.'),
  },
  {
    additionalProperties: true,
    description: 'A part of the template with its values. Known kinds are checked; everything else in it is passed on.',
    examples: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }],
  },
);
const COMPONENTS = Type.Array(ref('TemplateComponent'), {
  maxItems: 100,
  description: "The values of the template's variables, in the provider's component shapes.",
});

const TEXT = closed(
  {
    body: Type.String({
      minLength: 1,
      maxLength: SEND_LIMITS.bodyCharacters,
      description: 'The text itself, counted in code points.',
    }),
    preview_url: Type.Optional(
      Type.Boolean({ description: 'Whether to show a preview of the first link; false if left out.' }),
    ),
  },
  { description: 'A text as it is sent.' },
);
const TEMPLATE = closed(
  {
    name: Type.String({
      minLength: 1,
      maxLength: SEND_LIMITS.templateNameCharacters,
      description: 'The name of an approved template.',
    }),
    language: Type.Union([Type.String(LANGUAGE), ref('TemplateLanguage')], {
      description: 'The language, such as `en_US`.',
    }),
    components: Type.Optional(COMPONENTS),
  },
  { description: 'A template as it is sent, with its values.' },
);

const NUMBER = Type.String({
  description:
    'A number in international form. Spaces, dots, dashes and brackets are dropped; then it must be a plus and 7 to 15 digits.',
});
const USER_ID = Type.String({ description: 'A business-scoped user id.' });
const NUMBERS = Type.String({
  minLength: 1,
  description: 'One or more numbers, separated by commas, semicolons or line breaks.',
});

/** What the schemas of one type of content are called after: `TextRecipient`. */
const NAMES: Readonly<Record<ContentType, string>> = { text: 'Text', template: 'Template' };

/** The body of a send, for the description only: the parser checks it by hand, and takes nothing that does not fit here. */
export const sendSchemas: Record<string, TSchema> = {
  SendBody: {
    ...byWord(
      'What to send, and to whom.',
      'type',
      Object.fromEntries(CONTENT_TYPES.map((type) => [type, `${NAMES[type]}Send`])),
    ),
    examples: [
      { to: EXAMPLE.phone, type: 'text', text: textContent, client_reference: 'order-42' },
      {
        to: [EXAMPLE.phone, { to: EXAMPLE.otherPhone, client_reference: 'o-43', components: [bodyComponent('Grace')] }],
        from: EXAMPLE.channelId,
        type: 'template',
        template: { name: 'order_update', language: 'en_US', components: [bodyComponent('Ada')] },
      },
    ],
  },
  TextSend: sendOf('text', 'A text to 1 to 50 recipients.', {
    text: ref('TextToSend', 'A free-form text. It reaches only people who have written or called within 24 hours.'),
  }),
  TemplateSend: sendOf('template', 'A template to 1 to 50 recipients.', {
    template: ref(
      'TemplateToSend',
      'An approved template with its values. It needs no open window: the person need not have written before.',
    ),
  }),
  TextToSend: TEXT,
  TemplateToSend: TEMPLATE,
  TemplateLanguage: closed(
    { code: Type.String({ ...LANGUAGE, description: 'Such as `en_US`.' }) },
    { description: "A language in the provider's shape." },
  ),
  TemplateComponent: COMPONENT,
  ...recipientsOf('text', {}),
  ...recipientsOf('template', { components: Type.Optional(COMPONENTS) }),
};

function recipientsOf(type: ContentType, ofRecipient: Record<string, TSchema>): Record<string, TSchema> {
  const name = `${NAMES[type]}Recipient`;
  const own = { client_reference: Type.Optional(REFERENCE), ...ofRecipient };
  return {
    [name]: Type.Union([ref(`${name}ByNumber`), ref(`${name}ByUserId`)], {
      description: `A recipient of a ${type}, with its own members.`,
    }),
    [`${name}ByNumber`]: closed({ to: NUMBER, ...own }, { description: 'A recipient by number.' }),
    [`${name}ByUserId`]: closed({ user_id: USER_ID, ...own }, { description: 'A recipient by user id.' }),
  };
}

function sendOf(type: ContentType, description: string, content: Record<string, TSchema>): TSchema {
  const to = Type.Union(
    [
      NUMBERS,
      Type.Array(Type.Union([NUMBER, ref(`${NAMES[type]}Recipient`)]), {
        minItems: 1,
        maxItems: SEND_LIMITS.recipients,
        description: 'Recipients one by one.',
      }),
    ],
    { description: 'The recipients, 1 to 50. A person who is in it twice gets one message.' },
  );
  return closed(
    {
      to,
      from: Type.Optional(
        Type.String({
          description: "The id or the phone number of the channel to send from. Without it: the account's default.",
        }),
      ),
      type: Type.Literal(type, { description: 'What is sent: the member of this name must be there.' }),
      ...content,
      client_reference: Type.Optional(REFERENCE),
    },
    { description },
  );
}

function bodyComponent(text: string) {
  return { type: 'body', parameters: [{ type: 'text', text }] };
}

function closed(members: Record<string, TSchema>, options: TSchemaOptions): TSchema {
  return Type.Object(members, { additionalProperties: false, ...options });
}

function any(description: string): TSchema {
  return Type.Optional(Type.Unknown({ description }));
}
