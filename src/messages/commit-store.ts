import type { Mode } from '../kernel/principal.ts';
import type { MessageContent } from '../provider/port.ts';
import type { Queryable } from '../store/database.ts';
import { jsonOrNull } from './json-or-null.ts';
import type { IntendedMessage, Outcome, RefusedEntry } from './message.ts';

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

/** What many sends write in one commit: some begin, others have their outcomes. */
export interface SendCommit {
  begun: readonly NewRequest[];
  settled: readonly SettledMessage[];
  completed: readonly CompletedRequest[];
}

/**
 * Writes it all in one statement, because to start a statement costs the database more than a request's rows do. Returns
 * the requests that do not stand, because another request has claimed their idempotency key: nothing of them is written.
 * `rows` says what is known of the messages that are settled: `new` fails with a unique violation, and without any effect,
 * where one of them has its row already.
 */
export async function commitSends(store: Queryable, commit: SendCommit, rows: 'new' | 'any'): Promise<Set<string>> {
  const { begun, settled, completed } = commit;
  const settles = settled.length > 0 || completed.length > 0;
  if (!settles) return idsOf(await store.query<{ id: string }>(SEND_BEGIN, beginValues(begun)));
  const values = settleValues(settled, completed);
  if (begun.length > 0) {
    const both = [...values, ...beginValues(begun)];
    return idsOf(await store.query<{ id: string }>(rows === 'new' ? SEND_BOTH_NEW : SEND_BOTH_ANY, both));
  }
  await store.query(rows === 'new' ? SEND_SETTLE_NEW : SEND_SETTLE_ANY, values);
  return new Set();
}

function idsOf(rows: readonly { id: string }[]): Set<string> {
  return new Set(rows.map(({ id }) => id));
}

/**
 * Messages that wait for their turn get their rows now, because a row is what a turn is taken on. Keys are claimed in one
 * order everywhere, so that two nodes that claim the same ones never wait for each other in a circle.
 */
const BEGIN = `
  incoming as (
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
  )`;

function beginValues(requests: readonly NewRequest[]): unknown[] {
  const column = <Value>(read: (request: NewRequest) => Value) => requests.map(read);
  return [
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
  ];
}

function contentOf(content: MessageContent): unknown {
  return content.type === 'text' ? content.text : content.template;
}

const OUTCOMES = `
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
    order by account_id, id`;

/**
 * Where a row exists already (a message that had to wait, a notification that came first, a recovery by another node) the
 * outcome is noted, and the status follows it only if nothing better is known yet: a status never moves backwards.
 */
const BESIDE_WHAT_IS_KNOWN = `
    on conflict (account_id, id) do update set
      provider_message_id = coalesce(m.provider_message_id, excluded.provider_message_id),
      user_id = coalesce(m.user_id, excluded.user_id),
      held = excluded.held,
      outcome = excluded.outcome, outcome_at = excluded.outcome_at, outcome_error = excluded.outcome_error,
      status = case when m.status in ('pending', 'transmitting', 'unknown') then excluded.status else m.status end,
      error = case when m.status in ('pending', 'transmitting', 'unknown') then excluded.error else m.error end,
      updated_at = greatest(m.updated_at, excluded.updated_at)`;

const COMPLETION = `
  completed as (
    update request r set completed_at = now(), intent = null
    from unnest($16::uuid[], $17::uuid[]) as c(account_id, id)
    where r.account_id = c.account_id and r.id = c.id and r.intent is not null
  ), answered as (
    update idempotency i set answer = a.answer
    from unnest($18::uuid[], $19::uuid[], $20::mode[], $21::text[], $22::text[])
      as a(account_id, request_id, mode, key, answer)
    where i.account_id = a.account_id and i.mode = a.mode and i.key = a.key
      and i.request_id = a.request_id and i.answer is null
  )`;

const SETTLE_NEW = `written as (${OUTCOMES}), ${COMPLETION}`;
const SETTLE_ANY = `written as (${OUTCOMES} ${BESIDE_WHAT_IS_KNOWN}), ${COMPLETION}`;
const SETTLE_VALUES = 23;
const BEGIN_AFTER_SETTLE = BEGIN.replaceAll(/\$(\d+)/g, (_, place: string) => `$${Number(place) + SETTLE_VALUES}`);

const REFUSED = `
  select id from incoming
  where idempotency_key is not null and id not in (select request_id from claimed)`;

const SEND_BEGIN = `with ${BEGIN} ${REFUSED}`;
const SEND_SETTLE_NEW = `with ${SETTLE_NEW} select 1`;
const SEND_SETTLE_ANY = `with ${SETTLE_ANY} select 1`;
const SEND_BOTH_NEW = `with ${SETTLE_NEW}, ${BEGIN_AFTER_SETTLE} ${REFUSED}`;
const SEND_BOTH_ANY = `with ${SETTLE_ANY}, ${BEGIN_AFTER_SETTLE} ${REFUSED}`;

function settleValues(settled: readonly SettledMessage[], completed: readonly CompletedRequest[]): unknown[] {
  const column = <Value>(read: (item: SettledMessage) => Value) => settled.map(read);
  const answered = completed.flatMap(({ accountId, id, replay }) =>
    replay === null ? [] : [{ accountId, id, ...replay }],
  );
  return [
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
  ];
}
