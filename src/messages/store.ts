import type { MessageError } from '../kernel/message-errors.ts';
import type { Mode } from '../kernel/principal.ts';
import type { MessageContent } from '../provider/port.ts';
import type { Queryable } from '../store/database.ts';
import { jsonOrNull } from './json-or-null.ts';
import type { IntendedMessage, MessageStatus, Outcome, RefusedEntry } from './message.ts';

/** A request about to be committed, before anything of it is transmitted. */
export interface NewRequest {
  accountId: string;
  id: string;
  mode: Mode;
  channelId: string;
  keyId: string;
  nodeId: string;
  clientReference: string | null;
  content: MessageContent;
  refused: RefusedEntry[];
  intended: IntendedMessage[];
  traceparent: string | null;
  idempotency: { key: string; bodySha256: Buffer } | null;
}

/**
 * Commits many requests at once and returns those that stand: a request whose idempotency key another one has claimed
 * is not among them, and nothing of it is written. Messages that wait for their turn get their rows now, because a row is
 * what a turn is taken on. Keys are claimed in one order everywhere, so that two nodes that
 * claim the same ones never wait for each other in a circle.
 */
const REQUEST_BEGIN = `
  with incoming as (
    select * from unnest($1::uuid[], $2::uuid[], $3::mode[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::text[],
      $9::jsonb[], $10::jsonb[], $11::text[], $12::jsonb[], $13::text[], $14::text[], $15::bytea[], $16::boolean[])
    as t(account_id, id, mode, channel_id, key_id, node_id, type, client_reference,
      content, refused, message_ids, intent, traceparent, idempotency_key, body_sha256, waits)
  ), claimed as (
    insert into idempotency (account_id, mode, key, request_id, body_sha256, expires_at)
    select account_id, mode, idempotency_key, id, body_sha256, now() + interval '24 hours'
    from incoming where idempotency_key is not null
    order by account_id, mode, idempotency_key
    on conflict do nothing
    returning request_id
  ), begun as (
    insert into request (account_id, id, mode, channel_id, key_id, node_id, type, client_reference,
      content, refused, message_ids, intent, traceparent, idempotency_key)
    select account_id, id, mode, channel_id, key_id, node_id, type, client_reference,
      content, refused, message_ids::uuid[], intent, traceparent, idempotency_key
    from incoming where idempotency_key is null or id in (select request_id from claimed)
    returning id
  ), waiting as (
    insert into message (account_id, id, request_id, channel_id, mode, direction, type, phone, user_id, status,
      client_reference, own_reference, content, updated_at)
    select n.account_id, i.id, n.id, n.channel_id, n.mode, 'outbound', n.type, i.phone, i.user_id, 'pending',
      i.client_reference, i.own_reference, i.components, now()
    from incoming n
    cross join lateral jsonb_to_recordset(n.intent) as i(id uuid, phone text, user_id text, client_reference text,
      own_reference boolean, components jsonb, status text)
    where n.waits and i.status = 'pending' and n.id in (select id from begun)
  )
  select id from begun`;

export async function beginRequests(store: Queryable, requests: readonly NewRequest[]): Promise<Set<string>> {
  const column = <Value>(read: (request: NewRequest) => Value) => requests.map(read);
  const rows = await store.query<{ id: string }>(REQUEST_BEGIN, [
    column((request) => request.accountId),
    column((request) => request.id),
    column((request) => request.mode),
    column((request) => request.channelId),
    column((request) => request.keyId),
    column((request) => request.nodeId),
    column((request) => request.content.type),
    column((request) => request.clientReference),
    column((request) => JSON.stringify(contentOf(request.content))),
    column((request) => (request.refused.length === 0 ? null : JSON.stringify(request.refused))),
    column((request) => `{${request.intended.map(({ id }) => id).join(',')}}`),
    column((request) => JSON.stringify(request.intended)),
    column((request) => request.traceparent),
    column((request) => request.idempotency?.key ?? null),
    column((request) => request.idempotency?.bodySha256 ?? null),
    column((request) => request.intended.some(({ status }) => status === 'pending')),
  ]);
  return new Set(rows.map(({ id }) => id));
}

function contentOf(content: MessageContent): unknown {
  return content.type === 'text' ? content.text : content.template;
}

/** Takes back a request of which nothing was transmitted, so that its idempotency key is free again. */
const REQUEST_WITHDRAW = `
  with freed as (delete from idempotency where account_id = $1 and mode = $3 and key = $4 and request_id = $2)
  delete from request where account_id = $1 and id = $2 and completed_at is null`;

export async function withdrawRequest(store: Queryable, request: NewRequest): Promise<void> {
  const { accountId, id, mode, idempotency } = request;
  await store.query(REQUEST_WITHDRAW, [accountId, id, mode, idempotency?.key ?? null]);
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

/** A message and what the send found out about it. */
export interface SettledMessage {
  accountId: string;
  requestId: string;
  channelId: string;
  mode: Mode;
  type: 'text' | 'template';
  message: IntendedMessage;
  outcome: Outcome;
}

/** A request whose answer is known. A late settlement of single messages has none. */
export interface CompletedRequest {
  accountId: string;
  id: string;
  /** The answer's bytes, kept where the request has an idempotency key. */
  replay: { mode: Mode; key: string; answer: string } | null;
}

/**
 * Writes outcomes and completes requests, all in one statement. Where a row exists already (a message that had to
 * wait, a notification that came first, a recovery by another node) the outcome is noted, and the status follows it
 * only if nothing better is known yet: a status never moves backwards.
 */
const OUTCOME_WRITE = `
  with written as (
    insert into message as m (account_id, id, request_id, channel_id, mode, direction, type, phone, user_id, status,
      provider_message_id, client_reference, own_reference, held, content, error, outcome, outcome_at, outcome_error,
      updated_at)
    select account_id, id, request_id, channel_id, mode, 'outbound', type, phone, user_id, outcome,
      provider_message_id, client_reference, own_reference, held, content, error, outcome, at, error, at
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::mode[], $6::text[], $7::text[], $8::text[],
      $9::message_status[], $10::text[], $11::text[], $12::boolean[], $13::jsonb[], $14::jsonb[], $15::timestamptz[],
      $23::boolean[])
    as t(account_id, id, request_id, channel_id, mode, type, phone, user_id,
      outcome, provider_message_id, client_reference, held, content, error, at, own_reference)
    order by account_id, id
    on conflict (account_id, id) do update set
      provider_message_id = coalesce(m.provider_message_id, excluded.provider_message_id),
      user_id = coalesce(m.user_id, excluded.user_id),
      held = excluded.held,
      outcome = excluded.outcome, outcome_at = excluded.outcome_at, outcome_error = excluded.outcome_error,
      status = case when m.status in ('pending', 'transmitting', 'unknown') then excluded.status else m.status end,
      error = case when m.status in ('pending', 'transmitting', 'unknown') then excluded.error else m.error end,
      updated_at = greatest(m.updated_at, excluded.updated_at)
  ), completed as (
    update request r set completed_at = now(), intent = null
    from unnest($16::uuid[], $17::uuid[]) as c(account_id, id)
    where r.account_id = c.account_id and r.id = c.id and r.intent is not null
  )
  update idempotency i set answer = a.answer
  from unnest($18::uuid[], $19::uuid[], $20::mode[], $21::text[], $22::text[]) as a(account_id, request_id, mode, key, answer)
  where i.account_id = a.account_id and i.mode = a.mode and i.key = a.key
    and i.request_id = a.request_id and i.answer is null`;

export async function writeOutcomes(
  store: Queryable,
  settled: readonly SettledMessage[],
  completed: readonly CompletedRequest[],
): Promise<void> {
  const column = <Value>(read: (item: SettledMessage) => Value) => settled.map(read);
  const answered = completed.flatMap(({ accountId, id, replay }) =>
    replay === null ? [] : [{ accountId, id, ...replay }],
  );
  await store.query(OUTCOME_WRITE, [
    column((item) => item.accountId),
    column((item) => item.message.id),
    column((item) => item.requestId),
    column((item) => item.channelId),
    column((item) => item.mode),
    column((item) => item.type),
    column((item) => item.message.phone),
    column((item) => item.message.user_id ?? item.outcome.userId),
    column((item) => item.outcome.status),
    column((item) => item.outcome.providerMessageId),
    column((item) => item.message.client_reference),
    column((item) => item.outcome.held),
    column((item) => jsonOrNull(item.message.components)),
    column((item) => jsonOrNull(item.outcome.error)),
    column((item) => item.outcome.at),
    completed.map(({ accountId }) => accountId),
    completed.map(({ id }) => id),
    answered.map(({ accountId }) => accountId),
    answered.map(({ id }) => id),
    answered.map(({ mode }) => mode),
    answered.map(({ key }) => key),
    answered.map(({ answer }) => answer),
    column((item) => item.message.own_reference),
  ]);
}

/** Before their messages, as the recovery of another node does, which then leaves them alone. */
const REQUEST_LOCK = `
  select r.id from unnest($1::uuid[], $2::uuid[]) as wanted(account_id, id)
  join request r on r.account_id = wanted.account_id and r.id = wanted.id
  order by r.account_id, r.id for update of r`;

export async function lockRequests(tx: Queryable, settled: readonly SettledMessage[]): Promise<void> {
  await tx.query(REQUEST_LOCK, [settled.map(({ accountId }) => accountId), settled.map(({ requestId }) => requestId)]);
}

/** Locked in one order everywhere, so that two writers never wait for each other in a circle. */
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
  select id, status, provider_message_id, error from message
  where account_id = $1 and id = any($2) and status not in ('pending', 'transmitting', 'unknown')`;

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

/** A key that has expired is deleted on the way, so that it can be claimed again. */
const IDEMPOTENCY_FIND = `
  with expired as (
    delete from idempotency where account_id = $1 and mode = $2 and key = $3 and expires_at <= now()
  )
  select request_id, body_sha256, answer from idempotency
  where account_id = $1 and mode = $2 and key = $3 and expires_at > now()`;

export async function findIdempotency(
  store: Queryable,
  accountId: string,
  mode: Mode,
  key: string,
): Promise<IdempotencyRow | undefined> {
  return (await store.query<IdempotencyRow>(IDEMPOTENCY_FIND, [accountId, mode, key]))[0];
}

/** Bounded, so that a long backlog never holds locks for long. */
const IDEMPOTENCY_EXPIRE = `
  delete from idempotency where ctid in (select ctid from idempotency where expires_at <= now() limit 5000)
  returning 1 as gone`;

/** Forgets expired keys of all accounts; returns how many, so that a caller can go on while there are more. */
export async function expireIdempotency(store: Queryable): Promise<number> {
  return (await store.query(IDEMPOTENCY_EXPIRE)).length;
}
