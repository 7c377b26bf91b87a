import type { Owner } from '../kernel/principal.ts';
import { createSharing } from '../kernel/share.ts';
import type { Queryable } from '../store/database.ts';
import { eventText } from './event-text.ts';
import { findBounds, findEvent, keyOfLog, listEvents, type ReadWish } from './store.ts';

/** An event as it goes to customers. */
export interface WrittenEvent {
  sequence: number;
  type: string;
  /** The whole of it, as JSON. Of a large one it is read when its turn comes, and not kept. */
  text: string | ReadText;
}

/** Throws if the event has expired meanwhile: then what was begun with it cannot be ended. */
type ReadText = () => Promise<string>;

/** What readers of the logs ask of the store. */
export interface EventReads {
  bounds(log: Owner): Promise<{ latest: number; oldest: number | null }>;
  list(wish: ReadWish): Promise<readonly WrittenEvent[]>;
}

/**
 * Many readers wait at the same place of a log, the end of it, and an event wakes them all: those who want the same share
 * one query, and what it found is written out once. Otherwise some hundred readers keep everybody else from the store.
 */
export function createEventReads(database: Queryable, docsUrl: () => string): EventReads {
  const bounds = createSharing<{ latest: number; oldest: number | null }>();
  const lists = createSharing<readonly WrittenEvent[]>();
  const large = createSharing<string>();
  const readLarge = (log: Owner, id: string) =>
    large(`${keyOfLog(log)} ${id}`, async () => {
      const row = await findEvent(database, log, id);
      if (row === undefined) throw new Error('An event has expired between its list and its reading');
      return eventText(row, docsUrl());
    });
  return {
    bounds: (log) => bounds(keyOfLog(log), () => findBounds(database, log)),
    list: (wish) =>
      lists(keyOf(wish), async () => {
        const rows = await listEvents(database, wish);
        return rows.map(({ data, ...row }) => ({
          sequence: row.sequence,
          type: row.type,
          text: data === null ? () => readLarge(wish, row.id) : eventText({ ...row, data }, docsUrl()),
        }));
      }),
  };
}

function keyOf(wish: ReadWish): string {
  const { after, types, limit } = wish;
  return [keyOfLog(wish), after, limit, types?.join() ?? '*'].join(' ');
}
