import type { StoredMessageError } from '../../kernel/message-errors.ts';
import type { MessageStatus } from '../message.ts';

/** What every reader is told of a message, beside its content. */
export interface ToldMessage {
  id: string;
  request_id: string | null;
  channel_id: string;
  direction: 'outbound' | 'inbound';
  type: string;
  phone: string | null;
  user_id: string | null;
  status: MessageStatus;
  provider_message_id: string | null;
  client_reference: string | null;
  held: boolean;
  error: StoredMessageError | null;
  pricing: unknown;
  reply_to_id: string | null;
  reply_to_provider_message_id: string | null;
  updated_at: Date | null;
}

/** A message as it is read, from its row or, while it is under way, from its request's intent. */
export interface MessageRow extends ToldMessage {
  own_reference: boolean;
  content: unknown;
  outcome: MessageStatus | null;
  outcome_at: Date | null;
  outcome_error: StoredMessageError | null;
}

/** A message of a list, in which a large content is not read yet: a page of them might have a hundred megabytes. */
export interface ListedMessage extends MessageRow {
  /** What its own content takes in the database; 0: it has none. */
  content_bytes: number;
}

/** A page of a hundred contents of this size is less than a mebibyte, as the database keeps them. */
const SMALL_BYTES = 8_192;

const WHOLE = (content: string) => `${content} as content`;
/** Reads a content only if it is small, and how large it is. */
export const IF_SMALL = (content: string) => `
    case when pg_column_size(${content}) <= ${SMALL_BYTES} then ${content} end as content,
    coalesce(pg_column_size(${content}), 0) as content_bytes`;

/** The columns of `MessageRow`, read from `message`. `read` says how its content is read. */
export const storedColumns = (read = WHOLE) => `
  select id, request_id, channel_id, direction, type, phone, user_id, status, provider_message_id, client_reference,
    own_reference, held, ${read('content')}, error, pricing, reply_to_id, reply_to_provider_message_id, outcome, outcome_at,
    outcome_error, updated_at
  from`;

/** What a request's intent tells of each of its messages. */
export const INTENT_COLUMNS = `
    id uuid, phone text, user_id text, client_reference text, own_reference boolean, components jsonb, status message_status,
    error jsonb`;

/** The same columns for messages under way, which stand packed in their request until their outcome is known. */
export const underWay = (read = WHOLE) => `
  select i.id, r.id as request_id, r.channel_id, 'outbound'::direction as direction, r.type, i.phone, i.user_id,
    i.status, null::text as provider_message_id, i.client_reference,
    i.own_reference, false as held, ${read('i.components')}, i.error, null::jsonb as pricing, null::uuid as reply_to_id,
    null::text as reply_to_provider_message_id, null::message_status as outcome, null::timestamptz as outcome_at,
    null::jsonb as outcome_error, null::timestamptz as updated_at
  from request r cross join lateral jsonb_to_recordset(r.intent) as i(${INTENT_COLUMNS})`;

/**
 * The messages of the account that have one of these ids, looked up one by one (`offset 0` keeps it so): before version 17 PostgreSQL
 * believes that looking up a list of ids in a young week costs more than reading all messages that the account has there.
 */
export const messagesOf = (ids: string) => `(
  select m.* from (select distinct unnest(${ids}) as id) as wanted
  cross join lateral (select * from message where account_id = $1 and id = wanted.id offset 0) as m) as message`;

/** A message that is completed between two queries is found twice, and its row wins. */
export function mergeById<Row extends MessageRow>(running: Row[], stored: Row[]): Row[] {
  return [...new Map([...running, ...stored].map((row) => [row.id, row])).values()];
}
