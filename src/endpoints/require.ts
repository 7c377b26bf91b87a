import { ApiError } from '../kernel/errors.ts';
import { parseId } from '../kernel/ids.ts';
import type { AccountPrincipal } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import { type EndpointKey, type EndpointRow, findEndpoint, lockEndpoint } from './store.ts';

/** The endpoint of a path, for this key. Throws `not_found` for an id that is not well formed. */
export function endpointKey({ accountId, mode }: AccountPrincipal, id: string | undefined): EndpointKey {
  const uuid = parseId('end', id);
  if (uuid === undefined) throw noEndpoint();
  return { accountId, mode, id: uuid };
}

/** Throws `not_found` for what is not there, or of another account or mode. */
export async function requireEndpoint(store: Queryable, key: EndpointKey): Promise<EndpointRow> {
  const row = await findEndpoint(store, key);
  if (row === undefined) throw noEndpoint();
  return row;
}

/** The same, and nobody else changes it until the end of the transaction. */
export async function requireLocked(tx: Queryable, key: EndpointKey): Promise<EndpointRow> {
  const row = await lockEndpoint(tx, key);
  if (row === undefined) throw noEndpoint();
  return row;
}

export function noEndpoint(): ApiError {
  return new ApiError('not_found', 'There is no such endpoint.');
}
