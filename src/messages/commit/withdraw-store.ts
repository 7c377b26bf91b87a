import type { Mode } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import type { NewRequest } from './begin-store.ts';

/**
 * Waits for a commit of the same request that is still under way, by inserting a row with the same key. Such a commit may take as long as
 * a synchronous standby is away. Until it ends nobody sees its row, and a withdrawal would find nothing to take back.
 */
const REQUEST_AWAIT = `
  insert into request (account_id, id, mode, channel_id, key_id, node_id, type, message_ids, intent)
  values ($1, $2, $3, $4, $5, $6, $7, '{}', '[]') on conflict do nothing`;

const REQUEST_DELETE =
  'delete from request where account_id = $1 and id = $2 and completed_at is null returning message_ids';
const KEY_FREE = 'delete from idempotency where account_id = $1 and mode = $3 and key = $4 and request_id = $2';
/** A request that has ended meanwhile, by its send or by a recovery, keeps its key: it replays the answer, which somebody may have had. */
const REQUEST_WITHDRAW = `
  with gone as (${REQUEST_DELETE}), freed as (${KEY_FREE} and exists (select from gone))
  select message_ids from gone`;
/** Messages that were to wait for their turn have rows already. Without their request nobody would ever settle these. */
const MESSAGE_WITHDRAW = `
  delete from message m using (select $1::uuid as account_id, unnest($2::uuid[]) as id) as its
  where m.account_id = its.account_id and m.id = its.id and m.status = 'pending'`;

/** Takes back a request of which nothing was transmitted, so that its idempotency key is free again, unless it has ended meanwhile. */
export async function withdrawRequest(tx: Queryable, request: NewRequest): Promise<void> {
  const { accountId, id, mode, channelId, keyId, nodeId, content, idempotency } = request;
  await tx.query(REQUEST_AWAIT, [accountId, id, mode, channelId, keyId, nodeId, content.type]);
  await withdrawStray(tx, { account_id: accountId, id, mode, key: idempotency?.key ?? null });
}

/** A request that has begun and not ended. */
export interface BegunRequest {
  account_id: string;
  id: string;
  mode: Mode;
  key: string | null;
}

/** Takes back one that nobody carries out, unless it has ended in this moment. */
export async function withdrawStray(tx: Queryable, { account_id, id, mode, key }: BegunRequest): Promise<void> {
  const withdrawn = await tx.query<{ message_ids: string[] }>(REQUEST_WITHDRAW, [account_id, id, mode, key]);
  for (const { message_ids } of withdrawn) await tx.query(MESSAGE_WITHDRAW, [account_id, message_ids]);
}

/** Bounded, because after an outage there may be many that still have to be settled. */
const REQUEST_BEGUN = `
  select account_id, id, mode, idempotency_key as key from request
  where completed_at is null and node_id = $1 and id < $2 limit 1000`;

/** Requests that a node has begun, with ids below the one given, and not ended. */
export function listBegun(store: Queryable, nodeId: string, belowId: string): Promise<BegunRequest[]> {
  return store.query<BegunRequest>(REQUEST_BEGUN, [nodeId, belowId]);
}
