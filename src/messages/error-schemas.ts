import { Type } from 'typebox';
import { EXAMPLE_DOCS_URL } from '../http/examples.ts';
import { answer, count, flag, ref, text, word } from '../http/schema-words.ts';
import { MESSAGE_ERRORS, presentMessageError } from '../kernel/message-errors.ts';

/** Shared schemas of why a message failed. */
export const messageErrorSchemas = {
  MessageError: answer(
    'Why one message failed, or is not known to have arrived.',
    {
      code: word('The word to decide by.', Object.keys(MESSAGE_ERRORS)),
      message: text('What it means this time, for a person to read.'),
      fault: word(
        'Who can mend it: the `caller` by another request, the `recipient`, the `sender` (the account, at the provider), the `provider`, or the `platform` (this gateway).',
        ['caller', 'recipient', 'sender', 'provider', 'platform'],
      ),
      retryable: flag('Whether it is safe and sensible to send this message again unchanged.'),
      retry_after_seconds: Type.Optional(count('How many seconds to wait before you send it again, if that is known.')),
      action: text('What to do, for a person to read.'),
      errors: Type.Optional(
        Type.Array(ref('MessageFault'), { description: 'Where the faults inside the message are.' }),
      ),
      provider: Type.Optional(ref('ProviderError')),
      doc_url: text("The address of the error's page in the docs.", { format: 'uri' }),
    },
    presentMessageError({ code: 'invalid_recipient' }, EXAMPLE_DOCS_URL),
  ),
  MessageFault: answer(
    'A fault inside a message, such as a variable that does not fit the template.',
    {
      pointer: text('Where it is: a JSON Pointer as a URI fragment.'),
      detail: text('What is wrong with it, for a person to read.'),
      expected: Type.Optional(text('What the template asks for.')),
      given: Type.Optional(text('What was given instead.')),
    },
    {
      pointer: '#/template/components/0/parameters',
      detail: 'The body of the template has another number of variables.',
      expected: '1',
      given: '2',
    },
  ),
  ProviderError: answer(
    'What the provider said of it, without anything that identifies a person. What it did not say is left out.',
    {
      code: Type.Optional(Type.Integer({ description: 'Its error code, which its own documentation explains.' })),
      title: Type.Optional(text('Its short name for the error.')),
      details: Type.Optional(text('Its explanation, often more exact than the title.')),
      trace_id: Type.Optional(text('The id of the call on its side, which its support asks for.')),
    },
    { code: 131026, title: 'Message undeliverable' },
  ),
};
