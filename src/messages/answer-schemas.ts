import { type TSchema, Type } from 'typebox';
import { EXAMPLE, EXAMPLE_DOCS_URL } from '../http/examples.ts';
import { accountId, answer, byWord, count, idOf, orNull, ref, text, time, word } from '../http/schema-words.ts';
import { presentMessageError } from '../kernel/message-errors.ts';
import { CONTENT_TYPES } from './message.ts';
import { OUTCOME_COUNTS } from './schemas.ts';

const REQUEST_REFERENCE = Type.Optional(text('The `client_reference` of the request.'));
const TYPE = word('What was sent.', CONTENT_TYPES);

/** What names a recipient in an entry. */
const RECIPIENT = {
  to: text('The number in E.164 form, the user id, or the text as it was given where it cannot be read.'),
  user_id: Type.Optional(text('The user id, if the recipient was given by one.')),
  client_reference: Type.Optional(text("The recipient's own `client_reference`.")),
};

const MESSAGE = {
  ...RECIPIENT,
  id: idOf('msg', 'Our id of the message. Read it back by this id; events name it too.'),
  message_id: Type.Optional(text("The provider's id of the message; left out where the provider has given none.")),
  held: Type.Optional(
    Type.Literal(true, { description: 'There if the provider has taken the message but holds it back for now.' }),
  ),
};
const ERROR = ref('MessageError', 'Why it is not `accepted`.');

const WARNINGS = {
  warnings: Type.Optional(
    Type.Array(ref('ValidationWarning'), { description: 'What may go wrong, but does not make it `invalid`.' }),
  ),
};
const SETTLED = { accepted: 'AcceptedEntry', failed: 'FailedEntry', unknown: 'UnknownEntry' };

const ENTRIES_EXAMPLE = [
  { to: EXAMPLE.phone, status: 'accepted', id: EXAMPLE.messageId, message_id: EXAMPLE.providerMessageId },
  {
    to: '0770',
    status: 'failed',
    error: presentMessageError({ code: 'invalid_recipient' }, EXAMPLE_DOCS_URL),
  },
];
const ANSWER_EXAMPLE = {
  request_id: EXAMPLE.requestId,
  account_id: EXAMPLE.accountId,
  client_reference: 'order-42',
  type: 'text',
  accepted_count: 1,
  failed_count: 1,
  unknown_count: 0,
  results: ENTRIES_EXAMPLE,
};

function aggregate(entry: string): Record<string, TSchema> {
  return {
    request_id: idOf('req', 'The id of the request.'),
    account_id: accountId('The account that sent it.'),
    client_reference: REQUEST_REFERENCE,
    type: TYPE,
    ...OUTCOME_COUNTS,
    results: Type.Array(ref(entry), { description: "One entry for every recipient, in the request's order." }),
  };
}

/** Shared schemas of what the send and the validation answer. */
export const answerSchemas = {
  SendAnswer: answer(
    'What became of a send, recipient by recipient. The three counts add up to the length of `results`.',
    aggregate('ResultEntry'),
    ANSWER_EXAMPLE,
  ),
  ResultEntry: byWord('What became of one recipient.', 'status', SETTLED),
  AcceptedEntry: answer(
    'The provider took the message. That does not prove delivery.',
    { ...MESSAGE, status: word('Always `accepted`: it tells this kind of entry from the others.', ['accepted']) },
    ENTRIES_EXAMPLE[0],
  ),
  FailedEntry: answer(
    'The message was certainly not sent, or could not be delivered.',
    {
      ...MESSAGE,
      id: Type.Optional(
        idOf(
          'msg',
          'Our id of the message; left out for a recipient that cannot be read or is there twice, who gets none.',
        ),
      ),
      status: word('Always `failed`: it tells this kind of entry from the others.', ['failed']),
      error: ERROR,
    },
    ENTRIES_EXAMPLE[1],
  ),
  UnknownEntry: answer('The message may have been sent. An event may settle it.', {
    ...MESSAGE,
    status: word('Always `unknown`: it tells this kind of entry from the others.', ['unknown']),
    error: ERROR,
  }),
  RequestAnswer: answer(
    'The aggregate answer of a request, as it would be given now.',
    {
      ...aggregate('RequestEntry'),
      pending_count: count('How many are not settled yet.'),
      created_at: time('When the request came.'),
      completed_at: orNull(time('When all was settled; null while it runs.')),
    },
    { ...ANSWER_EXAMPLE, pending_count: 0, created_at: EXAMPLE.at, completed_at: EXAMPLE.later },
  ),
  RequestEntry: byWord(
    'What has become of one recipient so far. `sent`, `delivered` and `read` count as `accepted`. Once the person was erased, `to` is empty, and `message_id`, `user_id` and `client_reference` are left out.',
    'status',
    { ...SETTLED, pending: 'RunningEntry', transmitting: 'RunningEntry' },
  ),
  RunningEntry: answer('The message is not settled yet.', {
    ...MESSAGE,
    status: word('Whether it waits for its turn or is on its way.', ['pending', 'transmitting']),
  }),
  ValidationAnswer: answer(
    'What a send would find out before it transmits.',
    {
      account_id: accountId('The account of the key.'),
      client_reference: REQUEST_REFERENCE,
      type: TYPE,
      valid_count: count('How many could be sent.'),
      invalid_count: count('How many could not.'),
      results: Type.Array(ref('ValidationEntry'), { description: 'One entry for every recipient, in order.' }),
    },
    {
      account_id: EXAMPLE.accountId,
      type: 'text',
      valid_count: 1,
      invalid_count: 0,
      results: [{ to: EXAMPLE.phone, status: 'valid' }],
    },
  ),
  ValidationEntry: byWord('What was found of one recipient.', 'status', {
    valid: 'ValidEntry',
    invalid: 'InvalidEntry',
  }),
  ValidEntry: answer(
    'A send would try it.',
    {
      ...RECIPIENT,
      status: word('Always `valid`: it tells this kind of entry from the other.', ['valid']),
      ...WARNINGS,
    },
    { to: EXAMPLE.phone, status: 'valid' },
  ),
  InvalidEntry: answer('A send would not try it.', {
    ...RECIPIENT,
    status: word('Always `invalid`: it tells this kind of entry from the other.', ['invalid']),
    error: ref('MessageError', 'Why it is `invalid`.'),
    ...WARNINGS,
  }),
  ValidationWarning: answer(
    'What may go wrong.',
    {
      code: word('The word to decide by.', ['window_not_known']),
      detail: text('What it means this time, for a person to read.'),
    },
    {
      code: 'window_not_known',
      detail:
        'The person has neither written to nor called this number, as far as this service knows. A text reaches only people who wrote or called within 24 hours.',
    },
  ),
};
