import type { Owner } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import { listMessages, type MessageFilter } from './list-store.ts';
import type { ListedMessage } from './row-store.ts';

/**
 * The newest messages that pass any of some filters, newest first, at most `limit`. Each filter is looked up alone, so that
 * each goes by its own index; no message may pass two of them.
 */
export async function listMessagesOfAny(
  store: Queryable,
  owner: Owner,
  filters: readonly MessageFilter[],
  limit: number,
): Promise<ListedMessage[]> {
  const found: ListedMessage[] = [];
  for (const filter of filters) found.push(...(await listMessages(store, owner, filter, limit)));
  return found.sort((a, b) => (a.id > b.id ? -1 : 1)).slice(0, limit);
}
