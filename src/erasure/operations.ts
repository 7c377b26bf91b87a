import { EXAMPLE } from '../http/examples.ts';
import type { Operation } from '../http/operation.ts';
import { ref } from '../http/schema-words.ts';

const params = { id: `The id of the account, such as \`${EXAMPLE.accountId}\`.` };

/** How the API description tells of erasing. */
export const erasureOperations = {
  deleteAccount: {
    id: 'deleteAccount',
    tag: 'Platform: accounts',
    description: 'Deletes an account: its keys and channels stop at once, and its data are erased in the background.',
    params,
    answers: { 202: { description: 'It has stopped, and is being erased.' } },
  },
  erasePerson: {
    id: 'erasePerson',
    tag: 'Platform: accounts',
    description:
      "Erases what identifies a person from an account's data, in the background. Give exactly one of `to` and `user_id`. It may be repeated.",
    params,
    answers: { 202: { description: 'The person will be erased.', schema: ref('Erasure') } },
  },
} as const satisfies Record<string, Operation>;
