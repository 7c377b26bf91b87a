import { invalidKey } from '../accounts/authenticate.ts';
import { holdAccount } from '../accounts/store.ts';
import { parseId } from '../kernel/ids.ts';
import { noSuch } from '../kernel/no-such.ts';
import type { AccountPrincipal } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import { type EndpointKey, type EndpointRow, findEndpoint, lockEndpoint } from './store.ts';

/**
 * Nobody deletes the account until the end of the transaction, so that deleting it turns off what this makes or turns on. Throws
 * `invalid_api_key` if it is deleted already: its key is believed for a moment more.
 */
export async function holdLivingAccount(tx: Queryable, accountId: string): Promise<void> {
  if (!(await holdAccount(tx, accountId))) throw invalidKey();
}

/** The endpoint of a path, for this key. Throws `not_found` for an id that is not well formed. */
export function endpointKey({ accountId, mode }: AccountPrincipal, id: string | undefined): EndpointKey {
  const uuid = parseId('end', id);
  if (uuid === undefined) throw noSuch('end', id);
  return { accountId, mode, id: uuid };
}

/** Throws `not_found` for what is not there, or of another account or mode. */
export async function requireEndpoint(store: Queryable, key: EndpointKey): Promise<EndpointRow> {
  const row = await findEndpoint(store, key);
  if (row === undefined) throw noSuch('end');
  return row;
}

/** The same, and nobody else changes it until the end of the transaction. */
export async function requireLocked(tx: Queryable, key: EndpointKey): Promise<EndpointRow> {
  const row = await lockEndpoint(tx, key);
  if (row === undefined) throw noSuch('end');
  return row;
}
