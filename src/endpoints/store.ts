import type { Page } from '../http/page.ts';
import type { Mode, Owner } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';

export interface EndpointRow {
  account_id: string;
  id: string;
  mode: Mode;
  url: string;
  /** null: all. */
  types: string[] | null;
  description: string | null;
  enabled: boolean;
  disabled_reason: DisabledReason | null;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  previous_expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** An endpoint without its secrets, as its owner may see it. */
export type ShownEndpoint = Omit<EndpointRow, 'secret_sealed' | 'previous_secret_sealed' | 'previous_expires_at'>;

/** `requested`: the customer turned it off; `gone`: it answered 410; `failing`: no success for five days. */
export const DISABLED_REASONS = ['requested', 'gone', 'failing'] as const;
type DisabledReason = (typeof DISABLED_REASONS)[number];

const COLUMNS = `account_id, id, mode, url, types, description, enabled, disabled_reason, secret_sealed,
  previous_secret_sealed, previous_expires_at, created_at, updated_at`;

/** Creations of one account wait for one another, so that together they do not pass the limit. */
const ENDPOINT_LOCK_CREATION = `select pg_advisory_xact_lock(hashtext('waypost endpoints'), hashtext($1))`;
const ENDPOINT_COUNT = 'select count(*) as endpoints from endpoint where account_id = $1 and mode = $2';

/** How many there are of a mode; until the end of the transaction nobody else creates one. */
export async function countForCreation(tx: Queryable, accountId: string, mode: Mode): Promise<number> {
  await tx.query(ENDPOINT_LOCK_CREATION, [accountId]);
  const [row] = await tx.query<{ endpoints: number }>(ENDPOINT_COUNT, [accountId, mode]);
  return row?.endpoints ?? 0;
}

const ENDPOINT_INSERT = `
  insert into endpoint (account_id, id, mode, url, types, description, secret_sealed)
  values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`;

export type NewEndpoint = Pick<
  EndpointRow,
  'account_id' | 'id' | 'mode' | 'url' | 'types' | 'description' | 'secret_sealed'
>;

export async function insertEndpoint(tx: Queryable, row: NewEndpoint): Promise<EndpointRow> {
  const values = [row.account_id, row.id, row.mode, row.url, row.types, row.description, row.secret_sealed];
  const [inserted] = await tx.query<EndpointRow>(ENDPOINT_INSERT, values);
  if (inserted === undefined) throw new Error('An insert that returns one row returned none');
  return inserted;
}

const ENDPOINT_LIST = `
  select ${COLUMNS} from endpoint
  where account_id = $1 and mode = $2 and ($3::uuid is null or id < $3) order by id desc limit $4`;

export function listEndpoints(
  store: Queryable,
  { accountId, mode }: Owner,
  { before, limit }: Page,
): Promise<EndpointRow[]> {
  return store.query<EndpointRow>(ENDPOINT_LIST, [accountId, mode, before, limit]);
}

const ENDPOINT_FIND = `select ${COLUMNS} from endpoint where account_id = $1 and mode = $2 and id = $3`;

/** What identifies an endpoint to its owner. */
export interface EndpointKey extends Owner {
  id: string;
}

export async function findEndpoint(store: Queryable, key: EndpointKey): Promise<EndpointRow | undefined> {
  return (await store.query<EndpointRow>(ENDPOINT_FIND, [key.accountId, key.mode, key.id]))[0];
}

const ENDPOINT_LOCK = `${ENDPOINT_FIND} for no key update`;

/** The same, and nobody else changes it until the end of the transaction. */
export async function lockEndpoint(tx: Queryable, key: EndpointKey): Promise<EndpointRow | undefined> {
  return (await tx.query<EndpointRow>(ENDPOINT_LOCK, [key.accountId, key.mode, key.id]))[0];
}

/** An endpoint with a new URL, or one that was turned on again, has not failed yet. */
const ENDPOINT_UPDATE = `
  update endpoint set url = $3, types = $4, description = $5, enabled = $6, disabled_reason = $7, updated_at = now(),
    version = version + 1,
    address_version = address_version + case when url = $3 and enabled = $6 then 0 else 1 end,
    failing_since = case when url = $3 and enabled = $6 then failing_since end
  where account_id = $1 and id = $2 returning ${COLUMNS}`;

export async function updateEndpoint(tx: Queryable, row: EndpointRow): Promise<EndpointRow> {
  const { account_id, id, url, types, description, enabled, disabled_reason } = row;
  const values = [account_id, id, url, types, description, enabled, disabled_reason];
  const [updated] = await tx.query<EndpointRow>(ENDPOINT_UPDATE, values);
  if (updated === undefined) throw new Error('A locked endpoint was not there any more');
  return updated;
}

/**
 * The previous secret goes on signing for the overlap. It is kept after that, so that a check of a signature can say that the previous
 * secret made it. A seal is bound to the endpoint's id, so the previous secret need not be sealed anew.
 */
const ENDPOINT_ROTATE = `
  update endpoint set secret_sealed = $3,
    previous_secret_sealed = secret_sealed, previous_expires_at = now() + make_interval(secs => $4),
    updated_at = now(), version = version + 1
  where account_id = $1 and id = $2 returning previous_expires_at`;

/** Until when the secret before signs too: without an overlap it signs no more. */
export async function rotateSecret(
  tx: Queryable,
  { accountId, id }: EndpointKey,
  sealed: Buffer,
  overlapSeconds: number,
): Promise<Date> {
  const values = [accountId, id, sealed, overlapSeconds];
  const [row] = await tx.query<{ previous_expires_at: Date }>(ENDPOINT_ROTATE, values);
  if (row === undefined) throw new Error('A locked endpoint was not there any more');
  return row.previous_expires_at;
}

/**
 * Deletes its deliveries too, up to a limit: an endpoint that has been away for days may have more than one statement has
 * time for. The others lead nowhere, and the next sweep removes them. It also removes those that are locked now, because an attempt
 * is being written down: to wait for them while other rows are locked could be to wait in a circle.
 */
const ENDPOINT_DELETE = `
  with gone as (delete from endpoint where account_id = $1 and mode = $2 and id = $3 returning account_id, id),
  dropped as (
    delete from delivery where ctid = any(array(
      select d.place from gone cross join lateral (
        select ctid as place from delivery where account_id = gone.account_id and endpoint_id = gone.id
        limit 10000 for update skip locked) d)))
  select id from gone`;

/** Whether it was there. Of its deliveries some may stay behind, which nobody claims any more. */
export async function deleteEndpoint(tx: Queryable, key: EndpointKey): Promise<boolean> {
  return (await tx.query(ENDPOINT_DELETE, [key.accountId, key.mode, key.id])).length > 0;
}
