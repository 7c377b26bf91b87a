import { NIL_UUID } from '../../kernel/ids.ts';
import type { MessageError } from '../../kernel/message-errors.ts';
import type { Mode } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import type { RefusedEntry } from '../message.ts';
import { INTENT_COLUMNS } from '../read/row-store.ts';

const WORKING_NODES = 'select distinct node_id from request where completed_at is null';

/** The nodes that have requests under way, whether they live or not. */
export async function listWorkingNodes(store: Queryable): Promise<string[]> {
  return (await store.query<{ node_id: string }>(WORKING_NODES)).map((row) => row.node_id);
}

export interface RunningKey {
  account_id: string;
  id: string;
}

const RUNNING_LIST = `
  select account_id, id from request
  where completed_at is null and node_id = $1 and (account_id, id) > ($2, $3) order by account_id, id limit $4`;

/** Requests that a node has under way, after the one given. */
export function listRunning(
  store: Queryable,
  nodeId: string,
  after: RunningKey | undefined,
  limit: number,
): Promise<RunningKey[]> {
  return store.query<RunningKey>(RUNNING_LIST, [nodeId, after?.account_id ?? NIL_UUID, after?.id ?? NIL_UUID, limit]);
}

export interface RunningRow {
  channel_id: string;
  mode: Mode;
  client_reference: string | null;
  type: string;
  refused: RefusedEntry[] | null;
  message_ids: string[];
  idempotency_key: string | null;
}

/** Skips a request that another node settles in this moment. */
const RUNNING_LOCK = `
  select channel_id, mode, client_reference, type, refused, message_ids, idempotency_key
  from request where account_id = $1 and id = $2 and completed_at is null for update skip locked`;

export async function lockRunning(tx: Queryable, accountId: string, id: string): Promise<RunningRow | undefined> {
  return (await tx.query<RunningRow>(RUNNING_LOCK, [accountId, id]))[0];
}

/** A message that the recovery has settled. */
export interface RecoveredMessage {
  id: string;
  status: 'failed' | 'unknown';
  error: MessageError;
}

/**
 * A message that was waiting was certainly not transmitted; one that was under way may have been. Messages without a row get one from
 * the intent. A row keeps what a notification has proven of it meanwhile; then only the message's history tells that the send itself
 * never learned its outcome.
 */
const RUNNING_SETTLE = `
  with intended as (
    select r.account_id, r.id as request_id, r.channel_id, r.mode, r.type, i.*
    from request r, jsonb_to_recordset(r.intent) as i(${INTENT_COLUMNS})
    where r.account_id = $1 and r.id = $2
  ), written as (
    insert into message (account_id, id, request_id, channel_id, mode, direction, type, phone, user_id, status,
      client_reference, own_reference, content, error, outcome, outcome_at, outcome_error, updated_at)
    select account_id, id, request_id, channel_id, mode, 'outbound', type, phone, user_id, o.status,
      client_reference, own_reference, components, o.error, o.status, now(), o.error, now()
    from intended, lateral (
      select case when status = 'failed' then 'failed' else 'unknown' end::message_status as status,
             case when status = 'failed' then error else '{"code": "outcome_unknown"}' end::jsonb as error
    ) as o
    on conflict (account_id, id) do nothing
    returning id, status, error
  ), its as (
    select $1::uuid as account_id, unnest($3::uuid[]) as id
  ), waiting as (
    update message m
    set status = o.status, error = o.error, outcome = o.status, outcome_at = now(), outcome_error = o.error,
        updated_at = now()
    from its, (values
      ('pending'::message_status, 'failed'::message_status, '{"code": "not_attempted"}'::jsonb),
      ('transmitting', 'unknown', '{"code": "outcome_unknown"}')
    ) as o(before, status, error)
    where m.account_id = its.account_id and m.id = its.id and m.status = o.before
    returning m.id, m.status, m.error
  ), noted as (
    update message m set outcome = 'unknown', outcome_at = now(), outcome_error = '{"code": "outcome_unknown"}'
    from its
    where m.account_id = its.account_id and m.id = its.id and m.outcome is null and m.status not in ('pending', 'transmitting')
  ), completed as (
    update request set completed_at = now(), intent = null where account_id = $1 and id = $2
  )
  select id, status, error from written union all select id, status, error from waiting order by id`;

export function settleRunning(
  tx: Queryable,
  accountId: string,
  id: string,
  messageIds: string[],
): Promise<RecoveredMessage[]> {
  return tx.query<RecoveredMessage>(RUNNING_SETTLE, [accountId, id, messageIds]);
}

export interface KeptAnswer {
  accountId: string;
  mode: Mode;
  key: string;
  requestId: string;
  answer: string;
}

const ANSWER_KEEP = `
  update idempotency set answer = $5
  where account_id = $1 and mode = $2 and key = $3 and request_id = $4 and answer is null`;

export async function keepAnswer(tx: Queryable, kept: KeptAnswer): Promise<void> {
  await tx.query(ANSWER_KEEP, [kept.accountId, kept.mode, kept.key, kept.requestId, kept.answer]);
}

/** The request's messages stay as they are: nobody is told of them any more, and they are erased with the account. */
const DELETED_END = `
  update request r set completed_at = now(), intent = null from account a
  where r.account_id = $1 and r.id = $2 and r.completed_at is null and a.id = r.account_id and a.deleted_at is not null`;

/** Ends a request without settling its messages, if its account is deleted; the erasure waits for nothing else. */
export async function endDeleted(store: Queryable, accountId: string, id: string): Promise<void> {
  await store.query(DELETED_END, [accountId, id]);
}
