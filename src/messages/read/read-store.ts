import { byPlace } from '../../kernel/by-place.ts';
import type { StoredMessageError } from '../../kernel/message-errors.ts';
import type { Mode, Owner } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import type { RefusedEntry } from '../message.ts';
import {
  IF_SMALL,
  type ListedMessage,
  type MessageRow,
  mergeById,
  messagesOf,
  storedColumns,
  type ToldMessage,
  underWay,
} from './row-store.ts';

const byIds = (read?: (content: string) => string) =>
  `${storedColumns(read)} ${messagesOf('$3::uuid[]')} where account_id = $1 and mode = $2 order by id`;
/** Only the requests that have one of the messages are unpacked: an account may have hundreds that run, of 50 messages each. */
const underWayByIds = (read?: (content: string) => string) => `
  ${underWay(read)} where r.account_id = $1 and r.mode = $2 and r.completed_at is null and r.message_ids && $3::uuid[]
    and i.id = any($3::uuid[])`;
const WITHOUT = () => 'null::jsonb as content';
const MESSAGE_BY_IDS = byIds();
const MESSAGE_UNDER_WAY_BY_IDS = underWayByIds();
const MESSAGE_ENTRIES = byIds(WITHOUT);
const MESSAGE_ENTRIES_UNDER_WAY = underWayByIds(WITHOUT);

/** Finds messages by id, in the order of their making. */
export function findMessages(store: Queryable, owner: Owner, ids: readonly string[]): Promise<MessageRow[]> {
  return findByIds(store, owner, ids, { underWay: MESSAGE_UNDER_WAY_BY_IDS, stored: MESSAGE_BY_IDS });
}

/** The same without their contents, which may be a mebibyte, and which a request's answer does not tell. */
export function findEntries(store: Queryable, owner: Owner, ids: readonly string[]): Promise<MessageRow[]> {
  return findByIds(store, owner, ids, { underWay: MESSAGE_ENTRIES_UNDER_WAY, stored: MESSAGE_ENTRIES });
}

/**
 * Those under way are read first: one that is completed between the two queries is then found twice, never missed, and its
 * row wins.
 */
async function findByIds(
  store: Queryable,
  { accountId, mode }: Owner,
  ids: readonly string[],
  statements: { underWay: string; stored: string },
): Promise<MessageRow[]> {
  const running = await store.query<MessageRow>(statements.underWay, [accountId, mode, ids]);
  const stored = await store.query<MessageRow>(statements.stored, [accountId, mode, ids]);
  return mergeById(running, stored).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What an event tells of a message whatever its step was. An outbound one has no content here, because events do not tell it. */
export interface EventSourceRow extends Omit<ToldMessage, 'status' | 'error'> {
  mode: Mode;
  content: unknown;
  channel_number: string | null;
  traceparent: string | null;
}

const MESSAGE_FOR_EVENTS = `
  select m.mode, m.id, m.request_id, m.channel_id, m.direction, m.type, m.phone, m.user_id, m.provider_message_id,
    m.client_reference, m.held, case when m.direction = 'inbound' then m.content end as content, m.pricing, m.reply_to_id,
    m.reply_to_provider_message_id, m.updated_at, c.phone_number as channel_number, r.traceparent
  from unnest($1::uuid[], $2::uuid[]) as wanted(account_id, id)
  join message m on m.account_id = wanted.account_id and m.id = wanted.id
  left join channel c on c.account_id = m.account_id and c.id = m.channel_id
  left join request r on r.account_id = m.account_id and r.id = m.request_id`;

/** Messages of any accounts, as they stand in this transaction. */
export function findEventSources(
  tx: Queryable,
  messages: readonly { accountId: string; messageId: string }[],
): Promise<EventSourceRow[]> {
  return tx.query<EventSourceRow>(MESSAGE_FOR_EVENTS, [
    messages.map(({ accountId }) => accountId),
    messages.map(({ messageId }) => messageId),
  ]);
}

/** As the database writes it into JSON. */
export interface TimelineRow {
  status: string;
  at: string;
  received_at: string;
  note: 'late' | 'duplicate' | null;
  error: StoredMessageError | null;
}

/** A message with what was reported of it. A large content is not read yet. */
export interface MessageWithTimeline extends ListedMessage {
  /** Of a message from a person: when we were told of it. null: it came before that was kept. */
  received_at: Date | null;
  timeline: TimelineRow[];
}

const AND_RECEIVED = (content: string) => `${IF_SMALL(content)}, received_at`;
const MESSAGE_UNDER_WAY = underWayByIds(IF_SMALL);

/**
 * One statement sees one moment: a status is never shown without its line, nor a line before its status. The lines are one value of
 * JSON, because the driver takes five times as long over an array of them.
 */
const MESSAGE_WITH_TIMELINE = `
  select stored.*, (
    select coalesce(jsonb_agg(line), '[]') from (
      select status, at, received_at, note, error from timeline where account_id = $1 and message_id = $3
      order by place nulls first, id limit $4
    ) line) as timeline
  from (${storedColumns(AND_RECEIVED)} message
    where account_id = $1 and mode = $2 and id = $3) stored`;

/**
 * One message, and what was reported of it after its outcome, oldest first: all lines, or at most `linesMax`. Of one under way nothing was
 * yet.
 */
export async function findMessageWithTimeline(
  store: Queryable,
  { accountId, mode }: Owner,
  id: string,
  linesMax: number | null = null,
): Promise<MessageWithTimeline | undefined> {
  const [running] = await store.query<ListedMessage>(MESSAGE_UNDER_WAY, [accountId, mode, [id]]);
  const [stored] = await store.query<MessageWithTimeline>(MESSAGE_WITH_TIMELINE, [accountId, mode, id, linesMax]);
  return stored ?? (running && { ...running, received_at: null, timeline: [] });
}

export interface RequestRow {
  id: string;
  type: string;
  client_reference: string | null;
  refused: RefusedEntry[] | null;
  message_ids: string[];
  completed_at: Date | null;
}

/** Without its content, which may be a mebibyte. */
const REQUEST_BY_ID = `
  select id, type, client_reference, refused, message_ids, completed_at
  from request where account_id = $1 and mode = $2 and id = $3`;

export async function findRequest(
  store: Queryable,
  { accountId, mode }: Owner,
  id: string,
): Promise<RequestRow | undefined> {
  return (await store.query<RequestRow>(REQUEST_BY_ID, [accountId, mode, id]))[0];
}

export interface RequestContent {
  id: string;
  content: unknown;
}

/** One by one, as `messagesOf` does. */
const REQUEST_CONTENTS = `
  select r.id, content
  from (select distinct unnest($3::uuid[]) as id) as wanted
  cross join lateral (select * from request where account_id = $1 and id = wanted.id offset 0) as r
  where mode = $2`;

export function findRequestContents(
  store: Queryable,
  { accountId, mode }: Owner,
  ids: readonly string[],
): Promise<RequestContent[]> {
  return store.query<RequestContent>(REQUEST_CONTENTS, [accountId, mode, ids]);
}

const REQUEST_CONTENT_BYTES = `
  select r.id, coalesce(pg_column_size(content), 0) as bytes
  from (select distinct unnest($3::uuid[]) as id) as wanted
  cross join lateral (select * from request where account_id = $1 and id = wanted.id offset 0) as r
  where mode = $2`;

/** What the contents of requests take in the database. */
export async function findContentBytes(
  store: Queryable,
  { accountId, mode }: Owner,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await store.query<{ id: string; bytes: number }>(REQUEST_CONTENT_BYTES, [accountId, mode, ids]);
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

const CHANNEL_BY_NUMBER = 'select id from channel where account_id = $1 and mode = $2 and phone_number = $3';

/** The account's channels of a phone number, removed ones too. */
export async function findChannelsByNumber(
  store: Queryable,
  { accountId, mode }: Owner,
  number: string,
): Promise<string[]> {
  return (await store.query<{ id: string }>(CHANNEL_BY_NUMBER, [accountId, mode, number])).map(({ id }) => id);
}

const CHANNEL_NUMBERS = 'select id, phone_number from channel where account_id = $1 and id = any($2::uuid[])';

/** The phone numbers of channels, removed ones too, because their messages stay. */
export async function findChannelNumbers(
  store: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await store.query<{ id: string; phone_number: string }>(CHANNEL_NUMBERS, [accountId, ids]);
  return new Map(rows.map((row) => [row.id, row.phone_number]));
}

/**
 * Finds the message that each of these answers, among those of the same number, whoever wrote it: a number that was removed and connected
 * again has another channel now. All are looked up one by one (`offset 0` keeps it so), since an account may have many channels.
 */
const MESSAGE_ANSWERED = `
  select w.place::integer as place, answered.id
  from unnest($3::uuid[], $4::text[]) with ordinality as w(channel_id, provider_message_id, place)
  cross join lateral (
    select phone_number_id from channel where account_id = $1 and mode = $2 and id = w.channel_id offset 0) as c
  cross join lateral (
    select m.id from message m
    cross join lateral (
      select phone_number_id from channel where account_id = $1 and mode = $2 and id = m.channel_id offset 0) as former
    where m.account_id = $1 and m.mode = $2 and m.provider_message_id = w.provider_message_id
      and former.phone_number_id = c.phone_number_id
    limit 1
  ) as answered`;

/** The message that each of these names, or undefined, in their order. */
export async function findAnswered(
  store: Queryable,
  { accountId, mode }: Owner,
  named: readonly { channelId: string; providerMessageId: string | null }[],
): Promise<(string | undefined)[]> {
  const rows = await store.query<{ place: number; id: string }>(MESSAGE_ANSWERED, [
    accountId,
    mode,
    named.map(({ channelId }) => channelId),
    named.map(({ providerMessageId }) => providerMessageId),
  ]);
  return byPlace(rows, named.length).map((row) => row?.id);
}
