import type { Failure } from '../api/failure.ts';
import { type Message, message, type WaypostEvent } from '../api/message.ts';
import { pageOf } from '../api/resources.ts';
import { live } from '../state/live.svelte.ts';
import { api } from '../state/session.svelte.ts';
import { isUnderWay, UNDER_WAY_MS } from './is-under-way.ts';
import { createMessageList, MESSAGES_MAX, type MessageFilter } from './message-list.ts';
import { messageOf } from './message-of.ts';
import { withOwnNumber } from './own-number.ts';

const ROWS_A_PAGE = 100;
/** As many as a large screen shows. With fewer there is nothing to scroll, and scrolling is what loads more. */
const ROWS_MIN = 40;

/** The live list: older messages come from pages of the API, and newer ones from events. Both have the same filter. */
export class Messages {
  filter: MessageFilter;
  rows = $state.raw<readonly Message[]>([]);
  failure = $state.raw<Failure>();
  /** Whether the first page has come. */
  loaded = $state(false);
  busy = $state(false);
  /** How many messages have come by events since the list was read. */
  arrived = $state(0);
  /** How many of them were there when somebody last looked at the newest. */
  lookedAt = 0;
  /** The first row in view, and how far it is scrolled out of it; undefined at the top. */
  place: { id: string; offset: number } | undefined;
  /** What is under way is read again and again only while somebody looks. */
  isShown = true;
  readonly #list = createMessageList();
  #cursor = $state.raw<string | null>(null);
  /** The id of the oldest message that pages have brought; empty if they have brought all. */
  #oldest = '';
  #newest = 0;
  /** What events have told since the newest question was asked. Its answer may be older. */
  #heard: Message[] = [];
  #isLooking = false;
  /** Whether something may have happened that no event tells, and that no answer has told since. */
  #isStale = false;

  constructor(filter: MessageFilter) {
    this.filter = $state.raw(filter);
  }

  get more(): boolean {
    return this.#cursor !== null && !this.isFull;
  }

  /** Whether the tab keeps no more. What a page brought then would be the oldest, and dropped at once. */
  get isFull(): boolean {
    return this.rows.length >= MESSAGES_MAX;
  }

  /** Reads the list from its beginning, with another filter if one is given. */
  load(filter: MessageFilter = this.filter): Promise<void> {
    this.filter = filter;
    this.#list.clear();
    this.rows = this.#list.rows;
    // This cursor belongs to the list before. If the new list cannot be read now, events must not make the old one be read on.
    this.#cursor = null;
    this.#oldest = '';
    this.loaded = false;
    this.arrived = 0;
    this.lookedAt = 0;
    this.place = undefined;
    return this.#read(null);
  }

  /** Brings a list up to date that was left and is looked at again. `since` may have become later. */
  comeBack(since: string): void {
    if (since !== this.filter.since) {
      this.filter = { ...this.filter, since };
      this.#list.put(this.rows, this.filter);
      this.rows = this.#list.rows;
    }
    void this.#lookAgain();
  }

  /** Asks again what failed, and keeps what is there. */
  retry(): Promise<void> {
    return this.loaded ? this.loadMore() : this.load();
  }

  loadMore(): Promise<void> {
    return this.#read(this.#cursor);
  }

  /** Adds the messages of events until the returned function is called. */
  follow(): () => void {
    const end = live.listen(
      (events) => this.#hear(events),
      () => {
        // What is being read now may have been found before the stream begins. So it is looked at once more when that has come.
        this.#isStale = true;
        void this.#lookAgain();
      },
    );
    const timer = setInterval(() => {
      const isDue = this.#isStale || this.rows.slice(0, ROWS_A_PAGE).some(isUnderWay);
      if (this.isShown && isDue) void this.#lookAgain();
    }, UNDER_WAY_MS);
    return () => {
      clearInterval(timer);
      end();
    };
  }

  async #read(cursor: string | null): Promise<void> {
    this.#newest += 1;
    const number = this.#newest;
    this.busy = true;
    this.#heard = [];
    if (!this.loaded) {
      const filter = await withOwnNumber(this.filter);
      if (number !== this.#newest) return;
      this.filter = filter;
    }
    const query = { ...queryOf(this.filter), limit: ROWS_A_PAGE, cursor };
    const answer = await api({ path: '/api/v1/messages', query }, pageOf(message));
    // The answer to an older question belongs to another filter.
    if (number !== this.#newest) return;
    this.busy = false;
    this.failure = answer.ok ? undefined : answer.failure;
    if (!answer.ok) return;
    const { data, next_cursor: next } = answer.value;
    // What events have told before the first page may be older than that page.
    if (!this.loaded) this.#list.clear();
    this.#cursor = next;
    this.#oldest = next === null ? '' : (data.at(-1)?.id ?? this.#oldest);
    this.#take(data);
    this.loaded = true;
    this.#readOn();
  }

  /** A page with long contents has few rows, and messages that do not fit the filter any more leave the list: older ones take their place. */
  #readOn(): void {
    if (this.rows.length < ROWS_MIN && this.more && !this.busy) void this.loadMore();
  }

  /** Reads the newest messages again, whatever their status is by now. */
  async #lookAgain(): Promise<void> {
    if (!this.loaded || this.busy || this.#isLooking) return;
    this.#isLooking = true;
    this.#heard = [];
    const wasStale = this.#isStale;
    this.#isStale = false;
    const number = this.#newest;
    const query = { ...queryOf({ ...this.filter, status: '' }), limit: ROWS_A_PAGE };
    const answer = await api({ path: '/api/v1/messages', query }, pageOf(message));
    this.#isLooking = false;
    if (!answer.ok || number !== this.#newest) {
      this.#isStale ||= wasStale;
      return;
    }
    this.arrived += this.#take(answer.value.data);
    this.#readOn();
  }

  /** Returns how many are new in the list. */
  #take(messages: readonly Message[]): number {
    const fresh = this.#put(messages) + this.#put(this.#heard);
    this.#heard = [];
    this.rows = this.#list.rows;
    return fresh;
  }

  /**
   * Returns how many are new in the list. A message whose page is not read yet is not listed, however it changes: it would stand behind a
   * gap, and be counted as one that has come.
   */
  #put(messages: readonly Message[]): number {
    const oldest = this.isFull ? (this.rows.at(-1)?.id ?? '') : this.#oldest;
    const read = messages.filter(({ id }) => id >= oldest);
    return this.#list.put(read, this.filter);
  }

  #hear(events: readonly WaypostEvent[]): void {
    const messages = events.flatMap((event) => messageOf(event) ?? []);
    if (messages.length === 0) return;
    if (this.busy || this.#isLooking) this.#heard.push(...messages);
    this.arrived += this.#put(messages);
    this.rows = this.#list.rows;
    this.#readOn();
  }
}

function queryOf({ status, direction, since, search }: MessageFilter): Record<string, string> {
  return { status, direction, since, ...(search !== null && { [search.member]: search.value }) };
}
