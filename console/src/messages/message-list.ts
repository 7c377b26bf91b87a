import type { Message } from '../api/message.ts';
import { numberOf } from './summary.ts';

/** How many messages the tab keeps: far more than anybody scrolls through, and some 30 MB at most. */
export const MESSAGES_MAX = 20_000;

export interface MessageFilter {
  status: string;
  direction: string;
  /** An RFC 3339 time; empty for all messages from the beginning. */
  since: string;
  /** What the search asks for; null if it asks for nothing. `to` is for one of the account's own numbers. */
  search: { member: 'person' | 'to' | 'client_reference' | 'message_id' | 'request_id'; value: string } | null;
}

export const NO_FILTER: MessageFilter = { status: '', direction: '', since: '', search: null };

/**
 * The listed messages, newest first. They come from two sources: pages of the API, and events. A message may come twice or in another
 * order; it is listed once, in its newest state.
 */
export interface MessageList {
  readonly rows: readonly Message[];
  /** Adds messages, or changes those that are in the list. Returns how many are new in it. */
  put(messages: readonly Message[], filter: MessageFilter): number;
  clear(): void;
}

export function createMessageList(): MessageList {
  const byId = new Map<string, Message>();
  let rows: Message[] = [];
  return {
    get rows() {
      return rows;
    },
    put(messages, filter) {
      const { changed, fresh } = sortOut(messages, byId, filter);
      if (changed) rows = rows.flatMap(({ id }) => byId.get(id) ?? []);
      if (fresh.length > 0) rows = merge(fresh.sort(newestFirst), rows);
      for (const { id } of rows.splice(MESSAGES_MAX)) byId.delete(id);
      return fresh.length;
    },
    clear() {
      byId.clear();
      rows = [];
    },
  };
}

function sortOut(messages: readonly Message[], byId: Map<string, Message>, filter: MessageFilter) {
  const fresh = new Map<string, Message>();
  let changed = false;
  for (const message of messages) {
    const { id } = message;
    const known = byId.get(id);
    const newest = known === undefined ? message : newerOf(known, message);
    const wanted = isWanted(newest, filter);
    if (wanted) byId.set(id, newest);
    else byId.delete(id);
    const isFresh = fresh.has(id) || known === undefined;
    if (!isFresh) changed = true;
    else if (wanted) fresh.set(id, newest);
    else fresh.delete(id);
  }
  return { changed, fresh: [...fresh.values()] };
}

/** The newer state, with the content of the one that has it: an event has none, and may come before or after the page that has it. */
function newerOf(known: Message, message: Message): Message {
  const [newer, older] = known.updated_at > message.updated_at ? [known, message] : [message, known];
  return newer.content === undefined ? { ...newer, content: older.content } : newer;
}

/** Ids begin with their time, so they are in the order of the messages. */
function newestFirst(one: Message, other: Message): number {
  return one.id < other.id ? 1 : -1;
}

/** Both lists are sorted. New messages nearly always belong before all others, and then nothing is compared. */
function merge(fresh: Message[], rows: Message[]): Message[] {
  const oldestFresh = fresh.at(-1);
  if (oldestFresh === undefined || rows[0] === undefined || oldestFresh.id > rows[0].id) return [...fresh, ...rows];
  return [...fresh, ...rows].sort(newestFirst);
}

/** Whether the API would list this message with this filter. */
function isWanted(message: Message, { status, direction, since, search }: MessageFilter): boolean {
  if (status !== '' && message.status !== status) return false;
  if (direction !== '' && message.direction !== direction) return false;
  if (since !== '' && Date.parse(message.created_at) < Date.parse(since)) return false;
  if (search === null) return true;
  if (search.member === 'person') return [numberOf(message), message.user_id].includes(search.value);
  return message[search.member] === search.value;
}
