import { ApiError } from '../kernel/errors.ts';
import { UUID } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';
import { type AccountRow, findAccount } from './store.ts';

/** Throws `not_found` for a malformed id, and for one that no account has. */
export async function requireAccount(store: Queryable, id: string | undefined): Promise<AccountRow> {
  if (id === undefined || !UUID.test(id)) throw noAccount(': its id is a UUID in lower case');
  const account = await findAccount(store, id);
  if (account === undefined) throw noAccount();
  return account;
}

export function noAccount(more = ''): ApiError {
  return new ApiError('not_found', `There is no such account${more}.`);
}
