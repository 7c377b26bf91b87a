import type { Failure } from '../api/failure.ts';
import { type Message, message, type WaypostEvent } from '../api/message.ts';
import { pageOf } from '../api/resources.ts';
import { live } from '../state/live.svelte.ts';
import { api } from '../state/session.svelte.ts';
import { createMessageList, type MessageFilter } from './message-list.ts';
import { messageOf } from './message-of.ts';

const ROWS_A_PAGE = 100;
/** As many as a large screen shows: with fewer nothing can be scrolled, which is what asks for more. */
const ROWS_MIN = 40;

/** The live list: pages of the API below, events above, one filter for both. */
export class Messages {
  filter: MessageFilter;
  rows = $state.raw<readonly Message[]>([]);
  failure = $state.raw<Failure>();
  /** Whether the first page has come. */
  loaded = $state(false);
  busy = $state(false);
  /** How many came by events since the list was read. */
  arrived = $state(0);
  readonly #list = createMessageList();
  #cursor = $state.raw<string | null>(null);
  #newest = 0;

  constructor(filter: MessageFilter) {
    this.filter = $state.raw(filter);
  }

  get more(): boolean {
    return this.#cursor !== null;
  }

  /** Reads from the beginning, with another filter if one is given. */
  load(filter: MessageFilter = this.filter): Promise<void> {
    this.filter = filter;
    this.#list.clear();
    this.rows = this.#list.rows;
    // It is of the list before: if this one cannot be read now, what comes by events must not have that read on.
    this.#cursor = null;
    this.loaded = false;
    this.arrived = 0;
    return this.#read(null);
  }

  loadMore(): Promise<void> {
    return this.#read(this.#cursor);
  }

  /** Hears events until the returned function is called. */
  follow(): () => void {
    return live.listen((events) => this.#hear(events));
  }

  async #read(cursor: string | null): Promise<void> {
    this.#newest += 1;
    const number = this.#newest;
    this.busy = true;
    const query = { ...queryOf(this.filter), limit: ROWS_A_PAGE, cursor };
    const answer = await api({ path: '/api/v1/messages', query }, pageOf(message));
    // An older question's answer belongs to another filter.
    if (number !== this.#newest) return;
    this.busy = false;
    this.failure = answer.ok ? undefined : answer.failure;
    if (!answer.ok) return;
    this.#list.put(answer.value.data, this.filter);
    this.rows = this.#list.rows;
    this.#cursor = answer.value.next_cursor;
    this.loaded = true;
  }

  #hear(events: readonly WaypostEvent[]): void {
    const messages = events.flatMap((event) => messageOf(event) ?? []);
    if (messages.length === 0) return;
    this.arrived += this.#list.put(messages, this.filter);
    this.rows = this.#list.rows;
    // What does not fit the filter any more has left the list, and older ones may fit.
    if (this.rows.length < ROWS_MIN && this.more && !this.busy) void this.loadMore();
  }
}

function queryOf({ status, direction, since, search }: MessageFilter): Record<string, string> {
  return { status, direction, since, ...(search !== null && { [search.member]: search.value }) };
}
