import type { MessageError } from '../../kernel/message-errors.ts';
import type { Mode } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import type { MessageStatus } from '../message.ts';
import type { NewRequest } from './begin-store.ts';
import type { SettledMessage } from './settle-store.ts';

/**
 * Waits for a commit of the same request that is still under way, which may last as long as a synchronous standby is away.
 * Until it ends nobody sees its row, and a withdrawal would find nothing.
 */
const REQUEST_AWAIT = `
  insert into request (account_id, id, mode, channel_id, key_id, node_id, type, message_ids, intent)
  values ($1, $2, $3, $4, $5, $6, $7, '{}', '[]') on conflict do nothing`;

const REQUEST_DELETE =
  'delete from request where account_id = $1 and id = $2 and completed_at is null returning message_ids';
const KEY_FREE = 'delete from idempotency where account_id = $1 and mode = $3 and key = $4 and request_id = $2';
/** Of one that others have recovered meanwhile the key is freed too: nothing of it was transmitted. */
const REQUEST_WITHDRAW = `with freed as (${KEY_FREE}) ${REQUEST_DELETE}`;
/** The key of one that has ended meanwhile replays its answer. */
const STRAY_WITHDRAW = `
  with gone as (${REQUEST_DELETE}), freed as (${KEY_FREE} and exists (select from gone))
  select message_ids from gone`;
/** Messages that were to wait for their turn have rows already, which nobody would settle without their request. */
const MESSAGE_WITHDRAW = `
  delete from message m using (select $1::uuid as account_id, unnest($2::uuid[]) as id) as its
  where m.account_id = its.account_id and m.id = its.id and m.status = 'pending'`;

/** Takes back a request of which nothing was transmitted, so that its idempotency key is free again. */
export async function withdrawRequest(tx: Queryable, request: NewRequest): Promise<void> {
  const { accountId, id, mode, channelId, keyId, nodeId, content, idempotency } = request;
  await tx.query(REQUEST_AWAIT, [accountId, id, mode, channelId, keyId, nodeId, content.type]);
  await withdraw(tx, REQUEST_WITHDRAW, { accountId, id, mode, key: idempotency?.key ?? null });
}

/** A request that has begun and not ended. */
export interface BegunRequest {
  accountId: string;
  id: string;
  mode: Mode;
  key: string | null;
}

/** Takes back one that nobody carries out, unless it has ended in this moment. */
export function withdrawStray(tx: Queryable, stray: BegunRequest): Promise<void> {
  return withdraw(tx, STRAY_WITHDRAW, stray);
}

async function withdraw(tx: Queryable, statement: string, { accountId, id, mode, key }: BegunRequest): Promise<void> {
  const withdrawn = await tx.query<{ message_ids: string[] }>(statement, [accountId, id, mode, key]);
  for (const { message_ids } of withdrawn) await tx.query(MESSAGE_WITHDRAW, [accountId, message_ids]);
}

/** Bounded, for after an outage there may be many that still have to be settled. */
const REQUEST_BEGUN = `
  select account_id as "accountId", id, mode, idempotency_key as key from request
  where completed_at is null and node_id = $1 and id < $2 limit 1000`;

/** Requests that a node has begun, with ids below the one given, and not ended. */
export function listBegun(store: Queryable, nodeId: string, belowId: string): Promise<BegunRequest[]> {
  return store.query<BegunRequest>(REQUEST_BEGUN, [nodeId, belowId]);
}

/** Conditional: a node that was paused finds its messages settled by others, and must not transmit them any more. */
const MESSAGE_TAKE_TURN = `
  update message m set status = 'transmitting', updated_at = now()
  from unnest($1::uuid[], $2::uuid[]) as t(account_id, id)
  where m.account_id = t.account_id and m.id = t.id and m.status = 'pending'
  returning m.id`;

/** Returns the ids of those that may be transmitted now. */
export async function takeTurns(
  store: Queryable,
  messages: readonly { accountId: string; messageId: string }[],
): Promise<Set<string>> {
  const rows = await store.query<{ id: string }>(MESSAGE_TAKE_TURN, [
    messages.map(({ accountId }) => accountId),
    messages.map(({ messageId }) => messageId),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** A message of a request. */
export interface WantedMessage {
  accountId: string;
  requestId: string;
  messageId: string;
}

/**
 * Looked up by their primary keys one by one. What has no row yet is under way for as long as its request runs, whose intent
 * need not be unpacked for that: what waits for its turn has a row from the start. One that the provider has named in a report is
 * not under way any more, even if the report has a status that moves nothing.
 */
const MESSAGE_TRANSMITTING = `
  select w.id from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as w(account_id, request_id, id)
  where coalesce(
    (select m.status = 'transmitting' and m.provider_message_id is null from message m where m.account_id = w.account_id and m.id = w.id),
    (select r.completed_at is null from request r where r.account_id = w.account_id and r.id = w.request_id))`;

/** Returns the ids of those that are being transmitted; of the others the outcome is known, or they are gone. */
export async function findTransmitting(store: Queryable, messages: readonly WantedMessage[]): Promise<Set<string>> {
  const rows = await store.query<{ id: string }>(MESSAGE_TRANSMITTING, [
    messages.map(({ accountId }) => accountId),
    messages.map(({ requestId }) => requestId),
    messages.map(({ messageId }) => messageId),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Before their messages, as the recovery of another node does, which then leaves them alone. */
const REQUEST_LOCK = `
  select r.id from unnest($1::uuid[], $2::uuid[]) as wanted(account_id, id)
  join request r on r.account_id = wanted.account_id and r.id = wanted.id
  order by r.account_id, r.id for update of r`;

/** Returns the ids of those that are there: a deleted account takes its requests along. */
export async function lockRequests(tx: Queryable, settled: readonly SettledMessage[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(REQUEST_LOCK, [
    settled.map(({ accountId }) => accountId),
    settled.map(({ requestId }) => requestId),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Locked in the same order everywhere, so that two writers cannot deadlock. */
const MESSAGE_LOCK_STATUS = `
  select m.id, m.status from unnest($1::uuid[], $2::uuid[]) as wanted(account_id, id)
  join message m on m.account_id = wanted.account_id and m.id = wanted.id
  order by m.account_id, m.id for update of m`;

/** The statuses that these messages have before this transaction changes them; those without a row are not there. */
export async function lockStatuses(
  tx: Queryable,
  settled: readonly SettledMessage[],
): Promise<Map<string, MessageStatus>> {
  const rows = await tx.query<{ id: string; status: MessageStatus }>(MESSAGE_LOCK_STATUS, [
    settled.map(({ accountId }) => accountId),
    settled.map(({ message }) => message.id),
  ]);
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** Which of these messages a notification has settled meanwhile, before the send could write their outcome. */
const MESSAGE_SETTLED = `
  select m.id, status, provider_message_id, error from unnest($2::uuid[]) as wanted(id)
  cross join lateral (select * from message where account_id = $1 and id = wanted.id offset 0) as m
  where status not in ('pending', 'transmitting', 'unknown')`;

export interface SettledElsewhere {
  id: string;
  status: MessageStatus;
  provider_message_id: string | null;
  error: MessageError | null;
}

export function findSettled(store: Queryable, accountId: string, ids: readonly string[]): Promise<SettledElsewhere[]> {
  return store.query<SettledElsewhere>(MESSAGE_SETTLED, [accountId, ids]);
}

export interface IdempotencyRow {
  request_id: string;
  body_sha256: Buffer;
  answer: string | null;
}

/** A key as it must be unique. */
export interface WantedKey {
  accountId: string;
  mode: Mode;
  key: string;
}

/**
 * A key that has expired is deleted in passing, so that it can be claimed again; one that somebody else deletes is left to
 * them, because nobody may wait for another here. Each key is looked up by itself, and `+ interval '0'` keeps the planner from
 * the index of expiry: where the table is new it would read all keys by it.
 */
const IDEMPOTENCY_FIND = `
  with wanted as (
    select * from unnest($1::uuid[], $2::mode[], $3::text[]) with ordinality as t(account_id, mode, key, place)
  ), expired as (
    delete from idempotency where ctid = any(array(
      select i.place from wanted w
      cross join lateral (
        select ctid as place from idempotency
        where account_id = w.account_id and mode = w.mode and key = w.key and expires_at + interval '0' <= now()
        limit 1 for update skip locked) i))
  )
  select w.place::integer as place, i.request_id, i.body_sha256, i.answer from wanted w
  cross join lateral (
    select request_id, body_sha256, answer from idempotency
    where account_id = w.account_id and mode = w.mode and key = w.key and expires_at + interval '0' > now() limit 1) i`;

/** What is known of each key, in their order; undefined: it is free. */
export async function findIdempotency(
  store: Queryable,
  wanted: readonly WantedKey[],
): Promise<(IdempotencyRow | undefined)[]> {
  const rows = await store.query<IdempotencyRow & { place: number }>(IDEMPOTENCY_FIND, [
    wanted.map(({ accountId }) => accountId),
    wanted.map(({ mode }) => mode),
    wanted.map(({ key }) => key),
  ]);
  const byPlace = new Map(rows.map(({ place, ...row }) => [place, row]));
  return wanted.map((_, index) => byPlace.get(index + 1));
}

/** Bounded, so that a long backlog never holds locks for long. */
const IDEMPOTENCY_EXPIRE = `
  delete from idempotency where ctid in (select ctid from idempotency where expires_at <= now() limit 5000)
  returning 1 as gone`;

/** Forgets expired keys of all accounts; returns how many, so that a caller can go on while there are more. */
export async function expireIdempotency(store: Queryable): Promise<number> {
  return (await store.query(IDEMPOTENCY_EXPIRE)).length;
}
