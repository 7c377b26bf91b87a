import { Type } from 'typebox';
import { noAccount, requireAccount } from '../accounts/require-account.ts';
import { EXAMPLE } from '../http/examples.ts';
import { invalidRequest } from '../http/invalid-request.ts';
import { platformRoute, type Route } from '../http/route.ts';
import { textOfForm } from '../http/text-of-form.ts';
import { readPhoneNumber } from '../kernel/phone-number.ts';
import { USER_ID } from '../kernel/user-id.ts';
import type { Database } from '../store/database.ts';
import { deleteAccount } from './delete-account.ts';
import { requestErasure } from './erase-person.ts';
import { erasureOperations } from './operations.ts';
import type { PersonMark } from './person-mark.ts';

interface Deps {
  database: Database;
  markOf: PersonMark;
  /** After a change that this node must obey at once. */
  onKeysChanged(): void;
  /** An endpoint is not what it was. */
  onEndpointChanged(endpointId: string): void;
}

const PERSON = Type.Object(
  {
    to: Type.Optional(
      textOfForm(
        { minLength: 1, maxLength: 100, description: 'The phone number of the person.' },
        (text) => readPhoneNumber(text) !== undefined,
        () => 'This must be a phone number in E.164 form.',
      ),
    ),
    user_id: Type.Optional(
      textOfForm(
        { pattern: USER_ID.source, description: 'The business-scoped user id of the person.' },
        (text) => USER_ID.test(text),
        () => 'This must be a user id in the form of the provider, such as GB.abc123.',
      ),
    ),
  },
  { additionalProperties: false, examples: [{ to: EXAMPLE.phone }] },
);

/** What has to be forgotten: a whole account, or all that identifies one person. Both are done in the background. */
export function erasureRoutes(deps: Deps): Route[] {
  return [deleteRoute(deps), eraseRoute(deps)];
}

function deleteRoute({ database, onKeysChanged, onEndpointChanged }: Deps): Route {
  return platformRoute({
    method: 'DELETE',
    path: '/platform/v1/accounts/:id',
    summary: 'Delete an account: it stops at once, and its data are erased in the background',
    operation: erasureOperations.deleteAccount,
    bodyUse: 'none',
    async handle({ params }) {
      const { id } = await requireAccount(database, params.id);
      const endpointIds = await deleteAccount(database, id);
      if (endpointIds === undefined) throw noAccount();
      onKeysChanged();
      for (const endpointId of endpointIds) onEndpointChanged(endpointId);
      return { status: 202 };
    },
  });
}

function eraseRoute({ database, markOf }: Deps): Route {
  return platformRoute({
    method: 'POST',
    path: '/platform/v1/accounts/:id/erase',
    summary: "Erase what identifies a person from an account's data, in the background",
    operation: erasureOperations.erasePerson,
    bodyUse: 'json',
    bodySchema: PERSON,
    async handle({ params, body: { to, user_id: userId } }) {
      const person = readPerson(to, userId);
      const { id: accountId } = await requireAccount(database, params.id);
      return {
        status: 202,
        body: { account_id: accountId, person: await requestErasure(database, markOf, { accountId, person }) },
      };
    },
  });
}

function readPerson(to: string | undefined, userId: string | undefined): string {
  const person = to === undefined ? userId : readPhoneNumber(to);
  if (person !== undefined && (to === undefined || userId === undefined)) return person;
  throw invalidRequest([{ pointer: '#', detail: 'Give one of to and user_id.' }]);
}
