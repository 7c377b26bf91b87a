import { idTimeMs } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';
import { insertMarks, type Minute } from './due-store.ts';
import { bucketOf } from './step.ts';

/** `idTimeMs` reads no more of an id. */
const ID_TIME_CHARACTERS = 13;

interface MessageOf {
  accountId: string;
  messageId: string;
}

/** For a transaction that changes messages: has their minutes counted again once it is committed. */
export async function markMessages(tx: Queryable, messages: readonly MessageOf[]): Promise<void> {
  const minutes = new Map<string, Minute>();
  for (const message of messages) addMinute(minutes, message);
  await insertMarks(tx, [...minutes.values()]);
}

/** Remembers minutes in memory, so that a send costs no statement for it. */
export interface NotedMinutes {
  /** Only of what is committed. */
  note(message: MessageOf): void;
  /** Marks what was noted since the last time. What a process that dies had noted is found by the sweep. */
  flush(): Promise<void>;
}

export function createNotedMinutes(store: Queryable): NotedMinutes {
  let minutes = new Map<string, Minute>();
  let lastAccountId = '';
  /** The beginning of an id that tells its millisecond: nearly all messages of a request have the same. */
  let lastTime = '';
  return {
    note(message) {
      const { accountId, messageId } = message;
      if (accountId === lastAccountId && messageId.startsWith(lastTime)) return;
      [lastAccountId, lastTime] = [accountId, messageId.slice(0, ID_TIME_CHARACTERS)];
      addMinute(minutes, message);
    },
    async flush() {
      if (minutes.size === 0) return;
      const noted = minutes;
      minutes = new Map();
      // What comes next is to be marked again, also of the same minute.
      lastAccountId = '';
      try {
        await insertMarks(store, [...noted.values()]);
      } catch (error) {
        for (const [key, minute] of noted) minutes.set(key, minute);
        throw error;
      }
    },
  };
}

function addMinute(minutes: Map<string, Minute>, { accountId, messageId }: MessageOf): void {
  const atMs = bucketOf(idTimeMs(messageId), 'minute');
  minutes.set(`${accountId} ${atMs}`, { accountId, atMs });
}
