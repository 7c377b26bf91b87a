import { EXAMPLE } from '../http/examples.ts';
import { accountId, answer, text } from '../http/schema-words.ts';

/** Shared schemas of erasing. */
export const erasureSchemas = {
  Erasure: answer(
    'An erasure that was accepted.',
    {
      account_id: accountId('The account in whose data the person is erased.'),
      person: text('What stands for the person in the audit log. The number cannot be read out of it.'),
    },
    { account_id: EXAMPLE.accountId, person: '<PERSON_MARK>' },
  ),
};
