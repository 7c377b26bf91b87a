import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import { type AuditAction, insertAudit } from '../accounts/audit-store.ts';
import { holdEventLog } from '../events/store.ts';
import { invalidRequest } from '../http/invalid-request.ts';
import { ApiError } from '../kernel/errors.ts';
import { formatId, newId } from '../kernel/ids.ts';
import { noSuch } from '../kernel/no-such.ts';
import type { AccountPrincipal, Mode } from '../kernel/principal.ts';
import type { Sealer } from '../kernel/sealed.ts';
import type { Database, Queryable } from '../store/database.ts';
import { readEndpointUrl } from './address/url.ts';
import { mintSecret } from './deliver/sign.ts';
import type { createBody, patchBody } from './requests.ts';
import { holdLivingAccount, requireLocked } from './require.ts';
import {
  countForCreation,
  deleteEndpoint,
  type EndpointKey,
  type EndpointRow,
  insertEndpoint,
  rotateSecret,
  updateEndpoint,
} from './store.ts';

/** An account needs one for each of its systems; every one more costs each of its events a delivery. */
const ENDPOINTS_MAX = 50;
const FULL = `An account has at most ${ENDPOINTS_MAX} endpoints a mode.`;

interface Deps {
  database: Database;
  sealer: Sealer;
  localEndpoints: boolean;
}

/** Creates an endpoint. The secret is in the result only: it is stored sealed, bound to the endpoint's id. */
export async function createEndpoint(
  { database, sealer, localEndpoints }: Deps,
  principal: AccountPrincipal,
  wish: Static<ReturnType<typeof createBody>>,
): Promise<{ row: EndpointRow; secret: string }> {
  const { accountId, mode } = principal;
  checkUrl(wish.url, localEndpoints, mode);
  const id = newId();
  const secret = mintSecret();
  const row = await database.transaction(async (tx) => {
    await holdLivingAccount(tx, accountId);
    if ((await countForCreation(tx, accountId, mode)) >= ENDPOINTS_MAX)
      throw new ApiError('invalid_request', FULL, { errors: [{ pointer: '#', detail: FULL }] });
    const inserted = await insertEndpoint(tx, {
      account_id: accountId,
      id,
      mode,
      url: wish.url,
      types: wish.types ?? null,
      description: wish.description ?? null,
      secret_sealed: sealer.seal(secret, id),
    });
    await note(tx, principal, { action: 'endpoint.created', id, detail: { mode, types: inserted.types } });
    await holdEventLog(tx, { accountId, mode });
    return inserted;
  });
  return { row, secret };
}

/** Changes what the wish names: an absent member stays, null clears. */
export function patchEndpoint(
  { database, localEndpoints }: Deps,
  principal: AccountPrincipal,
  key: EndpointKey,
  wish: Static<ReturnType<typeof patchBody>>,
): Promise<EndpointRow> {
  if (wish.url !== undefined) checkUrl(wish.url, localEndpoints, key.mode);
  return database.transaction(async (tx) => {
    await holdLivingAccount(tx, key.accountId);
    const row = await requireLocked(tx, key);
    const enabled = wish.enabled ?? row.enabled;
    const disabled_reason = enabled ? null : (row.disabled_reason ?? 'requested');
    if (isDeepStrictEqual({ ...row, ...wish }, row)) return row;
    const updated = await updateEndpoint(tx, { ...row, ...wish, enabled, disabled_reason });
    await note(tx, principal, {
      action: 'endpoint.changed',
      id: key.id,
      detail: { members: Object.keys(wish), enabled },
    });
    await holdEventLog(tx, key);
    return updated;
  });
}

/** Deletes it with what is on its way to it. */
export function removeEndpoint({ database }: Deps, principal: AccountPrincipal, key: EndpointKey): Promise<void> {
  return database.transaction(async (tx) => {
    if (!(await deleteEndpoint(tx, key))) throw noSuch('end');
    await note(tx, principal, { action: 'endpoint.deleted', id: key.id, detail: {} });
  });
}

/** Gives an endpoint a new secret. `previousExpiresAt` null: the one before signs no more. */
export async function renewSecret(
  { database, sealer }: Deps,
  principal: AccountPrincipal,
  key: EndpointKey,
  overlapSeconds: number,
): Promise<{ secret: string; previousExpiresAt: Date | null }> {
  const secret = mintSecret();
  const previousExpiresAt = await database.transaction(async (tx) => {
    await requireLocked(tx, key);
    const expiresAt = await rotateSecret(tx, key, sealer.seal(secret, key.id), overlapSeconds);
    const detail = { overlap_seconds: overlapSeconds };
    await note(tx, principal, { action: 'endpoint.secret_rotated', id: key.id, detail });
    return overlapSeconds > 0 ? expiresAt : null;
  });
  return { secret, previousExpiresAt };
}

function checkUrl(url: string, localEndpoints: boolean, mode: Mode): void {
  const reading = readEndpointUrl(url, localEndpoints && mode === 'test');
  if (reading.kind === 'refused') throw invalidRequest([{ pointer: '#/url', detail: reading.detail }]);
}

/** What was done to an endpoint. */
interface Done {
  action: AuditAction;
  id: string;
  detail: Record<string, unknown>;
}

/** The URL is not told: it may hold a secret of the customer's. */
async function note(tx: Queryable, { accountId, keyId }: AccountPrincipal, { id, ...what }: Done): Promise<void> {
  await insertAudit(tx, { accountId, actor: formatId('key', keyId), target: formatId('end', id), ...what });
}
