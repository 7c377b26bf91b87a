import type { Queryable } from '../../store/database.ts';
import type { StatementPart } from '../../store/statement-part.ts';
import type { ShownEndpoint } from '../store.ts';

/** An endpoint as it was when something was claimed for it. */
export interface EndpointThen {
  account_id: string;
  endpoint_id: string;
  /** Counts its changes. */
  endpoint_version: number;
}

/** Names an endpoint as it was then, apart from what it was before and became after. */
export function keyOfThen({ endpoint_id, endpoint_version }: EndpointThen): string {
  return `${endpoint_id} ${endpoint_version}`;
}

/** An endpoint at the URL at which something was tried, for as long as it is on there. */
export interface EndpointAtAddress {
  account_id: string;
  endpoint_id: string;
  /** Counts its changes of URL, and its being turned on and off. */
  address_version: number;
}

/** Names an endpoint at its address, apart from what it was at others. */
export function keyAtAddress({ endpoint_id, address_version }: EndpointAtAddress): string {
  return `${endpoint_id} ${address_version}`;
}

export interface AttemptNote extends EndpointAtAddress {
  /** It answered 410. */
  gone: boolean;
}

/** What was learned of an endpoint at its old URL, or before it was turned on again, says nothing about it now. */
const ENDPOINT_NOTE_SUCCESS = `
  update endpoint e set failing_since = null from unnest($1::uuid[], $2::uuid[], $3::integer[]) as t(account_id, id, address_version)
  where e.account_id = t.account_id and e.id = t.id and e.address_version = t.address_version and e.failing_since is not null`;

/** What has succeeded once is not failing any more. */
export async function noteSuccess(tx: Queryable, endpoints: readonly EndpointAtAddress[]): Promise<void> {
  await tx.query(ENDPOINT_NOTE_SUCCESS, addressValues(endpoints));
}

/** The same as a part of the caller's statement. */
export function successPart(endpoints: readonly EndpointAtAddress[]): StatementPart {
  return { ctes: [`noted as (${ENDPOINT_NOTE_SUCCESS})`], result: undefined, values: addressValues(endpoints) };
}

/** The five days are counted from the first failure after the last success, and stand still while no gateway runs (`noteDelivering`). */
const ENDPOINT_NOTE_FAILURE = `
  update endpoint e set
    failing_since = coalesce(e.failing_since, now()),
    enabled = not (t.gone or coalesce(e.failing_since <= now() - make_interval(days => $5), false)),
    disabled_reason = case when t.gone then 'gone' when e.failing_since <= now() - make_interval(days => $5) then 'failing' end,
    updated_at = case when t.gone or e.failing_since <= now() - make_interval(days => $5) then now() else e.updated_at end
  from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::boolean[]) as t(account_id, id, address_version, gone)
  where e.account_id = t.account_id and e.id = t.id and e.address_version = t.address_version and e.enabled
    and (e.failing_since is null or t.gone or e.failing_since <= now() - make_interval(days => $5))
  returning e.account_id, e.id, e.mode, e.url, e.types, e.description, e.enabled, e.disabled_reason, e.created_at, e.updated_at`;

/** Notes that endpoints failed, and returns those that this has disabled. */
export async function noteFailure(
  tx: Queryable,
  notes: readonly AttemptNote[],
  failingDaysMax: number,
): Promise<ShownEndpoint[]> {
  const rows = await tx.query<ShownEndpoint>(ENDPOINT_NOTE_FAILURE, [
    ...addressValues(notes),
    notes.map(({ gone }) => gone),
    failingDaysMax,
  ]);
  return rows.filter(({ enabled }) => !enabled);
}

const ENDPOINT_UNCHANGED = `
  select t.account_id, t.id as endpoint_id, t.version as endpoint_version
  from unnest($1::uuid[], $2::uuid[], $3::integer[]) as t(account_id, id, version)
  join endpoint e on e.account_id = t.account_id and e.id = t.id and e.version = t.version and e.enabled`;

/** Which of these endpoints are unchanged and enabled. */
export function findUnchanged(store: Queryable, endpoints: readonly EndpointThen[]): Promise<EndpointThen[]> {
  return store.query<EndpointThen>(ENDPOINT_UNCHANGED, [
    endpoints.map(({ account_id }) => account_id),
    endpoints.map(({ endpoint_id }) => endpoint_id),
    endpoints.map(({ endpoint_version }) => endpoint_version),
  ]);
}

const ENDPOINT_ENABLED = `
  select t.id from unnest($1::uuid[], $2::uuid[]) as t(account_id, id)
  join endpoint e on e.account_id = t.account_id and e.id = t.id and e.enabled`;

/** The ids of those that are enabled, also if they were changed since. */
export async function findEnabled(
  tx: Queryable,
  endpoints: readonly Pick<EndpointThen, 'account_id' | 'endpoint_id'>[],
): Promise<Set<string>> {
  const values = [endpoints.map(({ account_id }) => account_id), endpoints.map(({ endpoint_id }) => endpoint_id)];
  return new Set((await tx.query<{ id: string }>(ENDPOINT_ENABLED, values)).map(({ id }) => id));
}

function addressValues(endpoints: readonly EndpointAtAddress[]): unknown[] {
  return [
    endpoints.map(({ account_id }) => account_id),
    endpoints.map(({ endpoint_id }) => endpoint_id),
    endpoints.map(({ address_version }) => address_version),
  ];
}
