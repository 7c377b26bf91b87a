import { formatId, idTimeMs } from '../../kernel/ids.ts';
import {
  type MessageErrorView,
  presentMessageError,
  type StoredMessageError,
  withoutFaults,
} from '../../kernel/message-errors.ts';
import type { Owner } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import { inboundMembers } from '../inbound-content.ts';
import {
  findAnswered,
  findChannelNumbers,
  findRequestContents,
  type MessageWithTimeline,
  type RequestContent,
} from './read-store.ts';
import type { MessageRow, ToldMessage } from './row-store.ts';

/** A message as callers read it; its content stands in the member named after `type`. */
export interface MessageView {
  id: string;
  request_id: string | null;
  account_id: string;
  channel_id: string;
  direction: string;
  from: string | null;
  to: string | null;
  user_id: string | null;
  type: string;
  reply_to: { id: string | null; message_id: string | null } | null;
  status: string;
  message_id: string | null;
  client_reference: string | null;
  held: boolean;
  error: MessageErrorView | null;
  pricing: unknown;
  created_at: string;
  updated_at: string;
  /** Only there if it has. */
  content_expired?: true;
  [content: string]: unknown;
}

interface Context {
  store: Queryable;
  owner: Owner;
  docsUrl: string;
  /** The content of what is older has expired, even if it is still stored. */
  contentFromMs: number;
}

/**
 * Presents messages, adding what stands apart from their rows: the request's content, the channel's number, and what they
 * answer where that was not known when they came.
 */
export async function presentMessages(context: Context, rows: readonly MessageRow[]): Promise<MessageView[]> {
  const { store, owner } = context;
  const requestIds = [...new Set(rows.flatMap((row) => row.request_id ?? []))];
  const channelIds = [...new Set(rows.map((row) => row.channel_id))];
  const requests = requestIds.length === 0 ? [] : await findRequestContents(store, owner, requestIds);
  const numbers =
    channelIds.length === 0 ? new Map<string, string>() : await findChannelNumbers(store, owner.accountId, channelIds);
  const byId = new Map(requests.map((request) => [request.id, request]));
  return (await linkReplies(context, rows)).map((row) =>
    presentMessage(context, row, byId.get(row.request_id ?? ''), numbers.get(row.channel_id) ?? null),
  );
}

/** What a message answers may have become known after it: the provider's answer to our send can come after the person's. */
async function linkReplies({ store, owner }: Context, rows: readonly MessageRow[]): Promise<MessageRow[]> {
  const open = rows.filter((row) => row.reply_to_id === null && row.reply_to_provider_message_id !== null);
  if (open.length === 0) return [...rows];
  const answered = await findAnswered(
    store,
    owner,
    open.map((row) => ({ channelId: row.channel_id, providerMessageId: row.reply_to_provider_message_id })),
  );
  const found = new Map(open.map(({ id }, place) => [id, answered[place] ?? null]));
  return rows.map((row) => ({ ...row, reply_to_id: row.reply_to_id ?? found.get(row.id) ?? null }));
}

function presentMessage(
  { owner, docsUrl, contentFromMs }: Context,
  row: MessageRow,
  request: RequestContent | undefined,
  channelNumber: string | null,
): MessageView {
  const outbound = row.direction === 'outbound';
  // A request is made before its messages, so it may be gone while they are still kept.
  const expired = idTimeMs(row.id) < contentFromMs || (outbound && request === undefined);
  const content = outbound ? sentContent(row, request) : row.content;
  const told = expired ? null : content;
  return {
    ...messageMembers(row, owner.accountId, channelNumber),
    ...(outbound ? { [row.type]: told } : inboundMembers(row.type, told)),
    ...(expired && { content_expired: true as const }),
    error: presentError(withoutExpired(row, contentFromMs).error, docsUrl),
  };
}

/**
 * A message as it is told when its content's time is over: the faults of a template's parameters quote these parameters, and stay in the
 * database until the whole week is emptied.
 */
export function withoutExpired<Row extends Pick<MessageRow, 'id' | 'error' | 'outcome_error'>>(
  row: Row,
  contentFromMs: number,
): Row {
  if (idTimeMs(row.id) >= contentFromMs) return row;
  const { error, outcome_error: outcomeError } = row;
  return {
    ...row,
    error: error && withoutFaults(error),
    outcome_error: outcomeError && withoutFaults(outcomeError),
  };
}

/** A message without its content, and with its error as it is stored: this is how events keep it. */
export function messageMembers(row: ToldMessage, accountId: string, channelNumber: string | null) {
  const outbound = row.direction === 'outbound';
  const createdAt = new Date(idTimeMs(row.id));
  return {
    id: formatId('msg', row.id),
    request_id: row.request_id === null ? null : formatId('req', row.request_id),
    account_id: accountId,
    channel_id: formatId('chn', row.channel_id),
    direction: row.direction,
    from: outbound ? channelNumber : row.phone,
    to: outbound ? row.phone : channelNumber,
    user_id: row.user_id,
    type: row.type,
    reply_to: presentReply(row),
    status: row.status,
    message_id: row.provider_message_id,
    client_reference: row.client_reference,
    held: row.held,
    error: row.error,
    pricing: row.pricing ?? null,
    created_at: createdAt.toISOString(),
    updated_at: (row.updated_at ?? createdAt).toISOString(),
  };
}

/** The request's content, with the recipient's own components where it had some. */
function sentContent(row: MessageRow, request: RequestContent | undefined): unknown {
  const content = request?.content ?? null;
  if (row.content === null || typeof content !== 'object') return content;
  return { ...content, components: row.content };
}

function presentReply(row: ToldMessage): MessageView['reply_to'] {
  const { reply_to_id: id, reply_to_provider_message_id: messageId } = row;
  if (id === null && messageId === null) return null;
  return { id: id === null ? null : formatId('msg', id), message_id: messageId };
}

function presentError(error: StoredMessageError | null, docsUrl: string): MessageErrorView | null {
  return error === null ? null : presentMessageError(error, docsUrl);
}

/** One step in the history of a message. */
export interface TimelineEntry {
  status: string;
  at: string;
  received_at: string;
  note: 'late' | 'duplicate' | null;
  error: MessageErrorView | null;
}

/** The history, oldest first: it begins with the send's outcome, or for an inbound message with its arrival. */
export function presentTimeline(row: MessageWithTimeline, docsUrl: string): TimelineEntry[] {
  const later = row.timeline.map(({ status, at, received_at: receivedAt, note, error }) => ({
    status,
    at: new Date(at).toISOString(),
    received_at: new Date(receivedAt).toISOString(),
    note,
    error: presentError(error, docsUrl),
  }));
  if (row.outcome === null || row.outcome_at === null) return later;
  const at = row.outcome_at.toISOString();
  const receivedAt = row.direction === 'inbound' ? (row.received_at ?? new Date(idTimeMs(row.id))).toISOString() : at;
  const error = presentError(row.outcome_error, docsUrl);
  return [{ status: row.outcome, at, received_at: receivedAt, note: null, error }, ...later];
}
