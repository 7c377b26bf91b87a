import { byPlace } from '../../kernel/by-place.ts';
import type { MessageError } from '../../kernel/message-errors.ts';
import type { Queryable } from '../../store/database.ts';
import type { MessageStatus } from '../message.ts';
import { INTENT_COLUMNS } from '../read/row-store.ts';
import { jsonOrNull } from './json-or-null.ts';

/** A status that the provider reports of a message that we sent. */
export interface StatusReport {
  accountId: string;
  /** The channel of the phone number id that it came for. */
  channelId: string;
  /** The channels that this number had in this account before. */
  formerChannelIds: readonly string[];
  providerMessageId: string;
  /** Our id, as the opaque member brought it back; null if it brought none. */
  messageId: string | null;
  status: string;
  at: Date;
  receivedAt: Date;
  error: MessageError | null;
  pricing: unknown;
  userId: string | null;
}

/**
 * Finds the message of each report, within the number that it came for: by the provider's id, else by our own, if that
 * message went out from this number, which one that waits for its turn has not, and has no other provider's id. The first
 * arm is the usual case and the quickest: our id leads to one partition. Each arm runs only if the ones before found nothing.
 */
const REPORT_LOCATE = `
  select r.place::integer as place, found.id
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[]) with ordinality
    as r(account_id, channel_id, provider_message_id, message_id, place)
  cross join lateral (
    select m.id from message m
    where m.account_id = r.account_id and m.id = r.message_id and m.channel_id = r.channel_id
      and m.provider_message_id = r.provider_message_id and m.direction = 'outbound'
    union all
    select m.id from message m
    where m.account_id = r.account_id and m.provider_message_id = r.provider_message_id
      and m.channel_id = r.channel_id and m.direction = 'outbound'
    union all
    select m.id from message m
    where m.account_id = r.account_id and m.id = r.message_id and m.channel_id = r.channel_id
      and m.provider_message_id is null and m.direction = 'outbound' and m.status <> 'pending'
    limit 1
  ) as found`;

/** The message's id of each report, or undefined, in the order of the reports. */
export async function locateMessages(tx: Queryable, reports: readonly StatusReport[]): Promise<(string | undefined)[]> {
  const rows = await tx.query<{ place: number; id: string }>(REPORT_LOCATE, [
    reports.map(({ accountId }) => accountId),
    reports.map(({ channelId }) => channelId),
    reports.map(({ providerMessageId }) => providerMessageId),
    reports.map(({ messageId }) => messageId),
  ]);
  return byPlace(rows, reports.length).map((row) => row?.id);
}

/**
 * Thousands of messages may be wanted, and as many be under way. It stands where the planner cannot make a join of it, so that each message
 * under way is looked up in a hash of those that are wanted, and not compared with every one.
 */
const IS_WANTED = 'in (select account_id, channel_id, message_id from wanted)';

/**
 * Writes the row of a message that is still packed in its running request, because a report has come before the send's own outcome was
 * stored. The outcome finds the row later and adds itself to it.
 *
 * The rows are written in the order in which rows are locked everywhere. Every transaction unpacks before it locks any row: this waits
 * for a row that another transaction is writing, which must not be done while that one waits for a lock of ours.
 */
const MESSAGE_UNPACK = `
  with wanted as (
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as t(account_id, channel_id, message_id)
  )
  insert into message (account_id, id, request_id, channel_id, mode, direction, type, phone, user_id, status,
    client_reference, own_reference, content, updated_at)
  select r.account_id, i.id, r.id, r.channel_id, r.mode, 'outbound', r.type, i.phone, i.user_id, 'transmitting',
    i.client_reference, i.own_reference, i.components, now()
  from (select distinct account_id, channel_id from wanted) w
  cross join lateral (
    select q.account_id, q.id, q.channel_id, q.mode, q.type, q.intent from request q
    where q.account_id = w.account_id and q.channel_id = w.channel_id and q.completed_at is null
      and (select bool_or((q.account_id, q.channel_id, of.id) ${IS_WANTED}) from unnest(q.message_ids) as of(id)) offset 0) r
  cross join lateral jsonb_to_recordset(r.intent) as i(${INTENT_COLUMNS})
  where i.status = 'transmitting' and ((r.account_id, r.channel_id, i.id) ${IS_WANTED}) is true
  order by r.account_id, i.id
  on conflict (account_id, id) do nothing`;

export async function unpackMessages(
  tx: Queryable,
  messages: readonly { accountId: string; channelId: string; messageId: string | null }[],
): Promise<void> {
  await tx.query(MESSAGE_UNPACK, [
    messages.map(({ accountId }) => accountId),
    messages.map(({ channelId }) => channelId),
    messages.map(({ messageId }) => messageId),
  ]);
}

export interface LockedMessage {
  account_id: string;
  id: string;
  status: MessageStatus;
  outcome: MessageStatus | null;
  provider_message_id: string | null;
  priced: boolean;
  user_known: boolean;
  erased: boolean;
}

/** A message `m` that names nobody any more was erased. */
const ERASED = 'm.phone is null and m.user_id is null';

/** A column's value, or null if the message `m` was erased: nothing that comes late may tell again whom it was for. */
export function unlessErased(column: string): string {
  return `case when ${ERASED} then null else ${column} end`;
}

/** Locked in the same order everywhere, after what had no row was unpacked, so that two writers cannot deadlock. */
const MESSAGE_LOCK = `
  select m.account_id, m.id, m.status, m.outcome, m.provider_message_id, m.pricing is not null as priced,
    m.user_id is not null as user_known, ${ERASED} as erased
  from unnest($1::uuid[], $2::uuid[]) as wanted(account_id, id)
  join message m on m.account_id = wanted.account_id and m.id = wanted.id
  order by m.account_id, m.id
  for update of m`;

export function lockMessages(
  tx: Queryable,
  messages: readonly { accountId: string; id: string }[],
): Promise<LockedMessage[]> {
  return tx.query<LockedMessage>(MESSAGE_LOCK, [
    messages.map(({ accountId }) => accountId),
    messages.map(({ id }) => id),
  ]);
}

const TIMELINE_REPORTED = `
  select t.message_id, array_agg(distinct t.status) as statuses
  from unnest($1::uuid[], $2::uuid[]) as wanted(account_id, id)
  join timeline t on t.account_id = wanted.account_id and t.message_id = wanted.id
  group by t.message_id`;

/** What was reported of these messages before. */
export async function findReported(
  tx: Queryable,
  messages: readonly { accountId: string; id: string }[],
): Promise<Map<string, string[]>> {
  const rows = await tx.query<{ message_id: string; statuses: string[] }>(TIMELINE_REPORTED, [
    messages.map(({ accountId }) => accountId),
    messages.map(({ id }) => id),
  ]);
  return new Map(rows.map((row) => [row.message_id, row.statuses]));
}

/** What a batch of reports makes of one message. */
export interface MessageChange {
  accountId: string;
  id: string;
  /** null: the status and its error stay. */
  status: MessageStatus | null;
  error: MessageError | null;
  providerMessageId: string;
  userId: string | null;
  pricing: unknown;
  /** null: the reports do not prove delivery. If the delivery was proven before, that first time stays. */
  toDeliveryMs: number | null;
}

const MESSAGE_CHANGE = `
  update message m set
    status = coalesce(c.status, m.status),
    error = case when c.status is null then m.error else c.error end,
    provider_message_id = coalesce(m.provider_message_id, ${unlessErased('c.provider_message_id')}),
    user_id = coalesce(m.user_id, ${unlessErased('c.user_id')}),
    pricing = coalesce(c.pricing, m.pricing),
    to_delivery_ms = coalesce(m.to_delivery_ms, c.to_delivery_ms),
    updated_at = now()
  from unnest($1::uuid[], $2::uuid[], $3::message_status[], $4::jsonb[], $5::text[], $6::text[], $7::jsonb[],
      $8::integer[])
    as c(account_id, id, status, error, provider_message_id, user_id, pricing, to_delivery_ms)
  where m.account_id = c.account_id and m.id = c.id`;

export async function changeMessages(tx: Queryable, changes: readonly MessageChange[]): Promise<void> {
  await tx.query(MESSAGE_CHANGE, [
    changes.map(({ accountId }) => accountId),
    changes.map(({ id }) => id),
    changes.map(({ status }) => status),
    changes.map(({ error }) => jsonOrNull(error)),
    changes.map(({ providerMessageId }) => providerMessageId),
    changes.map(({ userId }) => userId),
    changes.map(({ pricing }) => jsonOrNull(pricing)),
    changes.map(({ toDeliveryMs }) => toDeliveryMs),
  ]);
}

export interface NewTimelineEntry {
  accountId: string;
  messageId: string;
  id: string;
  status: string;
  at: Date;
  receivedAt: Date;
  note: 'late' | 'duplicate' | null;
  error: MessageError | null;
}

/** In the order given. The database numbers the lines itself, so that they stand in the order in which all gateways wrote them. */
const TIMELINE_INSERT = `
  insert into timeline (account_id, message_id, id, status, at, received_at, note, error)
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::timestamptz[],
    $7::text[], $8::jsonb[])`;

/** To be called when their messages are locked: what is written later stands later. */
export async function insertTimeline(tx: Queryable, entries: readonly NewTimelineEntry[]): Promise<void> {
  await tx.query(TIMELINE_INSERT, [
    entries.map(({ accountId }) => accountId),
    entries.map(({ messageId }) => messageId),
    entries.map(({ id }) => id),
    entries.map(({ status }) => status),
    entries.map(({ at }) => at),
    entries.map(({ receivedAt }) => receivedAt),
    entries.map(({ note }) => note),
    entries.map(({ error }) => jsonOrNull(error)),
  ]);
}
