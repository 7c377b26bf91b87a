import type { Queryable } from '../../store/database.ts';
import { unpackMessages } from '../report/apply-store.ts';
import type { SettledMessage } from './settle-store.ts';

/** Gives each message that is still packed in its request a row, as a report of it would. */
export function unpackSettled(tx: Queryable, settled: readonly SettledMessage[]): Promise<void> {
  return unpackMessages(
    tx,
    settled.map(({ message, ...one }) => ({ ...one, messageId: message.id })),
  );
}
