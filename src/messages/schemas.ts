import { Type } from 'typebox';
import { EXAMPLE, EXAMPLE_MESSAGE } from '../http/examples.ts';
import { accountId, answer, count, flag, idOf, orNull, ref, text, time, word } from '../http/schema-words.ts';
import { E164 } from '../kernel/phone-number.ts';
import { contentMembers, textContent } from './content-schemas.ts';
import { messageErrorSchemas } from './error-schemas.ts';
import { CONTENT_TYPES, MESSAGE_STATUSES } from './message.ts';

const PHONE = { pattern: E164.source };
const REFERENCE = 'The `client_reference` that was given with it.';

const MEMBERS = {
  id: idOf('msg', 'Our id of the message. It is known from the send on, and events name the message by it.'),
  request_id: orNull(idOf('req', 'The request that it was sent with; null for an inbound message.')),
  account_id: accountId(),
  channel_id: idOf('chn', 'The channel it went out from, or came in to.'),
  direction: word('Whether it went to a person or came from one.', ['outbound', 'inbound']),
  from: orNull(text("The sender's number in E.164 form; null where the provider hides it.", PHONE)),
  to: orNull(text("The recipient's number in E.164 form; null where the provider hides it.", PHONE)),
  user_id: orNull(text("The person's business-scoped user id, where it is known.")),
  type: text(
    `What it holds. Outbound ${CONTENT_TYPES.map((type) => `\`${type}\``).join(' or ')}; inbound also \`image\`, \`button\`, \`reaction\` and others.`,
  ),
  reply_to: orNull(ref('ReplyTo', 'The message that it answers.')),
  status: ref('MessageStatus', 'What is known of it.'),
  message_id: orNull(text("The provider's id of it; null while the provider has given none.")),
  client_reference: orNull(text(REFERENCE)),
  held: flag(
    'Whether the provider took it but held it back at first, such as while it judged a new template. It stays true.',
  ),
  error: orNull(ref('MessageError', 'Why it failed, or why its outcome is not known.')),
  pricing: orNull(ref('Pricing', 'What the provider reported about charging for it.')),
  created_at: time('When the service took it.'),
  updated_at: time('When something in it last changed, such as its status.'),
};

/** What single reads and lists tell of the content, and events do not. */
const CONTENT_EXPIRED = {
  content_expired: Type.Optional(
    flag(
      'Present, and true, once the content is past the time it is kept; the content is null then. If the person was erased, it is null without this.',
    ),
  ),
};

const EXAMPLE_STEP = { at: EXAMPLE.at, received_at: EXAMPLE.at, note: null, error: null };

/** Shared schemas of messages as they are read back, and as events tell of them. */
export const messageSchemas = {
  ...messageErrorSchemas,
  Message: answer(
    'A message. Its content is in the member named after `type`; inbound content is as the provider sent it, with the `errors`, `group_id`, `referral`, `referred_product`, `forwarded`, `frequently_forwarded` and `identity` of the message if there are any.',
    { ...MEMBERS, ...contentMembers, ...CONTENT_EXPIRED },
    { ...EXAMPLE_MESSAGE, text: textContent },
  ),
  MessageWithTimeline: answer(
    'A message with its history.',
    {
      ...MEMBERS,
      ...contentMembers,
      ...CONTENT_EXPIRED,
      timeline: Type.Array(ref('TimelineStep'), {
        description:
          'Everything that was reported about it, oldest first. It begins with the outcome of the send, or with `received`.',
      }),
    },
    {
      ...EXAMPLE_MESSAGE,
      text: textContent,
      timeline: [
        { ...EXAMPLE_STEP, status: 'accepted' },
        { ...EXAMPLE_STEP, status: 'delivered', at: EXAMPLE.later, received_at: EXAMPLE.later },
      ],
    },
  ),
  MessageWithoutContent: answer('A message as events tell of it.', MEMBERS, EXAMPLE_MESSAGE),
  MessageStatus: word(
    'What is known of a message. `accepted` means that the provider took it at that stage; it does not prove delivery. A status never moves backwards.',
    MESSAGE_STATUSES,
  ),
  TimelineStep: answer(
    'One step in the history of a message.',
    {
      status: text('What was reported, including words of the provider that change nothing here, such as `played`.'),
      at: time('When it happened, as the one who reported it says.'),
      received_at: time('When the service learned of it.'),
      note: orNull(
        word(
          '`late` if a later step had been reported before, `duplicate` if the same had been: then it changed nothing. Else null.',
          ['late', 'duplicate'],
        ),
      ),
      error: orNull(ref('MessageError', 'Why it failed.')),
    },
    { ...EXAMPLE_STEP, status: 'accepted' },
  ),
  ReplyTo: answer(
    'The message that another one answers.',
    {
      id: orNull(idOf('msg', 'Its id; null where it is not known here.')),
      message_id: orNull(text("The provider's id of it.")),
    },
    { id: EXAMPLE.messageId, message_id: EXAMPLE.providerMessageId },
  ),
  Pricing: answer(
    'What the provider reported about charging for a message. What it did not report is left out.',
    {
      billable: Type.Optional(flag('Whether it is charged.')),
      model: Type.Optional(text('The pricing model, in the words of the provider.')),
      type: Type.Optional(text('Why it is charged or free, in the words of the provider.')),
      category: Type.Optional(text('The category it is charged as, such as `utility`.')),
    },
    EXAMPLE_MESSAGE.pricing,
  ),
};

/** How many recipients came to what; used by the answers of the send. */
export const OUTCOME_COUNTS = {
  accepted_count: count('How many the provider took.'),
  failed_count: count('How many certainly failed.'),
  unknown_count: count('How many may or may not have been taken.'),
};
