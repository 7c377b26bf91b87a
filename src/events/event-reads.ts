import type { Owner } from '../kernel/principal.ts';
import type { ReadsInTurn } from '../kernel/reads-in-turn.ts';
import { createSharing } from '../kernel/share.ts';
import type { Queryable } from '../store/database.ts';
import { eventText } from './event-text.ts';
import { findEvent, findLatest, findOldest, keyOfLog, listEvents, type ReadWish } from './store.ts';

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
  /** The last number that was given; 0: none was. */
  latest(log: Owner): Promise<number>;
  /** The first number that is still kept; undefined: none is. */
  oldest(log: Owner): Promise<number | undefined>;
  list(wish: ReadWish): Promise<readonly WrittenEvent[]>;
}

/**
 * Many readers wait at the same place of a log, the end of it, and an event wakes them all: those who want the same share
 * one query, and what it found is written out once. Otherwise some hundred readers keep everybody else from the store. Those who are
 * at different large events share nothing, so these are read one at a time of each account.
 */
export function createEventReads(database: Queryable, docsUrl: () => string, inTurn: ReadsInTurn): EventReads {
  const latest = createSharing<number>();
  const oldest = createSharing<number | undefined>();
  const lists = createSharing<readonly WrittenEvent[]>();
  const large = createSharing<string>();
  const readLarge = (log: Owner, id: string) =>
    large(`${keyOfLog(log)} ${id}`, async () => {
      const row = await inTurn(log.accountId, () => findEvent(database, log, id));
      if (row === undefined) throw new Error('An event has expired between its list and its reading');
      return eventText(row, docsUrl());
    });
  return {
    latest: (log) => latest(keyOfLog(log), async () => (await findLatest(database, [log]))(log)),
    oldest: (log) => oldest(keyOfLog(log), () => findOldest(database, log)),
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
