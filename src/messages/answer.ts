import { formatId } from '../kernel/ids.ts';
import { type MessageErrorView, presentMessageError, type StoredMessageError } from '../kernel/message-errors.ts';
import type { MessageStatus, RefusedEntry } from './message.ts';

/** One recipient's entry in the aggregate answer. `pending` and `transmitting` occur only while a request is read back. */
export interface AnswerEntry {
  to: string;
  status: 'accepted' | 'failed' | 'unknown' | 'pending' | 'transmitting';
  id?: string;
  message_id?: string;
  user_id?: string;
  client_reference?: string;
  held?: true;
  error?: MessageErrorView;
}

export interface AggregateAnswer {
  request_id: string;
  account_id: string;
  client_reference?: string;
  type: string;
  accepted_count: number;
  failed_count: number;
  unknown_count: number;
  results: AnswerEntry[];
}

/** What an entry is made of, wherever it comes from. `phone` or `user_id` is how the recipient was named. */
export interface EntrySource {
  id: string;
  phone: string | null;
  user_id: string | null;
  client_reference: string | null;
  /** Whether the reference is the recipient's own: the request's stands at the top of the answer. */
  own_reference: boolean;
  status: AnswerEntry['status'];
  provider_message_id: string | null;
  held: boolean;
  error: StoredMessageError | null;
}

export interface AnswerSource {
  requestId: string;
  accountId: string;
  clientReference: string | null;
  type: string;
  /** In the request's order. */
  messages: readonly EntrySource[];
  refused: readonly RefusedEntry[];
}

/** Puts the aggregate answer together: one entry for every recipient, in the request's order. */
export function composeAnswer(source: AnswerSource, docsUrl: string): AggregateAnswer {
  const results = source.messages.map((message) => messageEntry(message, docsUrl));
  // The places are those in the whole answer, ascending, so each one is right once all before it are in.
  for (const entry of source.refused) results.splice(entry.place, 0, refusedEntry(entry, docsUrl));
  const count = (status: string) => results.filter((entry) => entry.status === status).length;
  return {
    request_id: formatId('req', source.requestId),
    account_id: source.accountId,
    ...(source.clientReference !== null && { client_reference: source.clientReference }),
    type: source.type,
    accepted_count: count('accepted'),
    failed_count: count('failed'),
    unknown_count: count('unknown'),
    results,
  };
}

/** A request as it is stored. */
interface StoredRequest {
  id: string;
  accountId: string;
  client_reference: string | null;
  type: string;
  refused: readonly RefusedEntry[] | null;
}

type StoredMessage = Omit<EntrySource, 'status'> & { status: MessageStatus };

/** Puts the answer together as it would be given now, from all that is stored. */
export function composeStoredAnswer(
  { id: requestId, accountId, client_reference: clientReference, type, refused }: StoredRequest,
  stored: readonly StoredMessage[],
  docsUrl: string,
): AggregateAnswer {
  const messages = stored.map((row) => ({ ...row, status: entryStatusOf(row) }));
  return composeAnswer({ requestId, accountId, clientReference, type, messages, refused: refused ?? [] }, docsUrl);
}

/**
 * What has gone further than `accepted` counts as that. So does a status that only a later version knows, where the provider's id proves
 * that it took the message: it would count as pending otherwise, and whoever waits for the end of the request would wait for ever.
 */
function entryStatusOf({ status, provider_message_id: providerMessageId }: StoredMessage): EntrySource['status'] {
  switch (status) {
    case 'pending':
    case 'transmitting':
    case 'accepted':
    case 'failed':
    case 'unknown':
      return status;
    case 'sent':
    case 'delivered':
    case 'read':
      return 'accepted';
    case 'received':
      throw new Error('An inbound message has no place in an answer');
    default:
      return providerMessageId === null ? status : 'accepted';
  }
}

function messageEntry(message: EntrySource, docsUrl: string): AnswerEntry {
  const { phone, user_id: userId, client_reference: reference, error } = message;
  const entry: AnswerEntry = { to: phone ?? userId ?? '', status: message.status, id: formatId('msg', message.id) };
  if (message.provider_message_id !== null) entry.message_id = message.provider_message_id;
  // Of a person who was named by a number it may become known later, and the answer must not change by that.
  if (phone === null && userId !== null) entry.user_id = userId;
  if (reference !== null && message.own_reference) entry.client_reference = reference;
  if (message.held) entry.held = true;
  if (error !== null) entry.error = presentMessageError(error, docsUrl);
  return entry;
}

function refusedEntry({ place: _, error, ...entry }: RefusedEntry, docsUrl: string): AnswerEntry {
  return { ...entry, status: 'failed', error: presentMessageError(error, docsUrl) };
}
