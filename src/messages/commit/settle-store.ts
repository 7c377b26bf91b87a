import type { Mode } from '../../kernel/principal.ts';
import type { StatementPart } from '../../store/statement-part.ts';
import type { ContentType, IntendedMessage, Outcome } from '../message.ts';
import { unlessErased } from '../report/apply-store.ts';
import { jsonOrNull } from '../report/json-or-null.ts';

/** A message and what the send found out about it. */
export interface SettledMessage {
  accountId: string;
  requestId: string;
  channelId: string;
  mode: Mode;
  type: ContentType;
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
 * What is known of the rows of the messages that are settled.
 * - `new`: no message has a row. If one has, the statement fails with a unique violation and has no effect.
 * - `any`: a message may have a row. A row that has an outcome already is left as it is.
 * - `told`: a message may have a row with an outcome. Somebody was told that one, so it stays the row's outcome; the status may go on.
 */
export type RowsKnown = 'new' | 'any' | 'told';

/**
 * What writes outcomes and completes requests, as a part of a statement. Only with `any` it has a result: the messages whose rows it has
 * left as they are.
 */
export function settlePart(
  settled: readonly SettledMessage[],
  completed: readonly CompletedRequest[],
  rows: RowsKnown,
): StatementPart {
  const answered = completed.flatMap(({ accountId, id, replay }) =>
    replay === null ? [] : [{ accountId, id, ...replay }],
  );
  const written = `written as (${OUTCOMES} ${BESIDE[rows]})`;
  const result = rows === 'any' ? LEFT_AS_THEY_ARE : undefined;
  const values = settleValues(settled, completed);
  if (answered.length === 0) return { ctes: [written, COMPLETED], result, values };
  const answers = [
    answered.map(({ accountId }) => accountId),
    answered.map(({ id }) => id),
    answered.map(({ mode }) => mode),
    answered.map(({ key }) => key),
    answered.map(({ answer }) => answer),
  ];
  // A recovery locks a request before it keeps the answer. PostgreSQL carries out what nothing reads from the last to the first, so that
  // this locks the request first as well; otherwise each would wait for the other.
  return { ctes: [written, ANSWERED, COMPLETED], result, values: [...values, ...answers] };
}

const OUTCOMES = `
    insert into message as m (account_id, id, request_id, channel_id, mode, direction, type, phone, user_id, status,
      provider_message_id, client_reference, own_reference, held, content, error, outcome, outcome_at, outcome_error,
      updated_at)
    select account_id, id, request_id, channel_id, mode, 'outbound', type, phone, user_id, outcome,
      provider_message_id, client_reference, own_reference, held, content, error, outcome, at, error, at
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::mode[], $6::text[], $7::text[], $8::text[],
      $9::message_status[], $10::text[], $11::text[], $12::boolean[], $13::jsonb[], $14::jsonb[], $15::timestamptz[],
      $16::boolean[])
    as t(account_id, id, request_id, channel_id, mode, type, phone, user_id,
      outcome, provider_message_id, client_reference, held, content, error, at, own_reference)
    order by account_id, id`;

/**
 * Where a row exists already (a message that had to wait, a notification that came first, a recovery by another node) the
 * outcome is noted, and the status follows it only if nothing better is known yet: a status never moves backwards.
 */
const BESIDE_WHAT_IS_KNOWN = `
    on conflict (account_id, id) do update set
      provider_message_id = coalesce(m.provider_message_id, ${unlessErased('excluded.provider_message_id')}),
      user_id = coalesce(m.user_id, ${unlessErased('excluded.user_id')}),
      held = excluded.held,
      outcome = coalesce(m.outcome, excluded.outcome),
      outcome_at = case when m.outcome is null then excluded.outcome_at else m.outcome_at end,
      outcome_error = case when m.outcome is null then excluded.outcome_error else m.outcome_error end,
      status = case when m.status in ('pending', 'transmitting', 'unknown') then excluded.status else m.status end,
      error = case when m.status in ('pending', 'transmitting', 'unknown') then excluded.error else m.error end,
      updated_at = greatest(m.updated_at, excluded.updated_at)`;

const BESIDE: Record<RowsKnown, string> = {
  new: '',
  any: `${BESIDE_WHAT_IS_KNOWN} where m.outcome is null returning id`,
  told: BESIDE_WHAT_IS_KNOWN,
};

const LEFT_AS_THEY_ARE = 'select id from unnest($2::uuid[]) as wanted(id) where id not in (select id from written)';

const COMPLETED = `
  completed as (
    update request r set completed_at = now(), intent = null
    from unnest($17::uuid[], $18::uuid[]) as c(account_id, id)
    where r.account_id = c.account_id and r.id = c.id and r.intent is not null
  )`;

/**
 * The keys are looked up one by one. Joined, each would be compared with every key there is while the planner believes that there are
 * none, as it does after a night in which all have expired.
 */
const ANSWERED = `
  answered as (
    update idempotency i set answer = k.answer
    from (
      select a.answer, found.place
      from unnest($19::uuid[], $20::uuid[], $21::mode[], $22::text[], $23::text[])
        as a(account_id, request_id, mode, key, answer)
      cross join lateral (
        select ctid as place from idempotency
        where account_id = a.account_id and mode = a.mode and key = a.key
          and request_id = a.request_id and answer is null limit 1) found) k
    where i.ctid = k.place and i.answer is null
  )`;

function settleValues(settled: readonly SettledMessage[], completed: readonly CompletedRequest[]): unknown[] {
  const column = <Value>(read: (item: SettledMessage) => Value) => settled.map(read);
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
    column((item) => item.message.own_reference),
    completed.map(({ accountId }) => accountId),
    completed.map(({ id }) => id),
  ];
}
