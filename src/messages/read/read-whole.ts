import type { Owner } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import { findMessages } from './read-store.ts';
import type { ListedMessage, MessageRow } from './row-store.ts';

/** Listed messages with their contents: the large ones are read now. */
export async function readWhole(store: Queryable, owner: Owner, rows: readonly ListedMessage[]): Promise<MessageRow[]> {
  const large = rows.filter((row) => row.content === null && row.content_bytes > 0).map(({ id }) => id);
  if (large.length === 0) return [...rows];
  const whole = new Map((await findMessages(store, owner, large)).map((row) => [row.id, row]));
  return rows.map((row) => whole.get(row.id) ?? row);
}
