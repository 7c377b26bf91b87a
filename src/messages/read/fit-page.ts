import type { Owner } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import { findContentBytes } from './read-store.ts';
import { readWhole } from './read-whole.ts';
import type { ListedMessage, MessageRow } from './row-store.ts';

/** As much as one request may bring. What all messages of a request have in common is told with each of them. */
const CONTENT_BYTES_MAX = 1 << 20;

/**
 * The first of some listed messages, with their contents: as many as have contents of 1 MiB together, and one at least. A page
 * of a hundred could have a hundred times as much otherwise, from a single request, and hold up everybody else.
 */
export async function fitPage(store: Queryable, owner: Owner, rows: readonly ListedMessage[]): Promise<MessageRow[]> {
  const requestIds = [...new Set(rows.flatMap((row) => row.request_id ?? []))];
  const shared = requestIds.length === 0 ? new Map<string, number>() : await findContentBytes(store, owner, requestIds);
  const read = new Set<string>();
  let bytes = 0;
  const tooMuch = rows.findIndex((row, place) => {
    const requestId = row.request_id ?? '';
    const ofRequest = shared.get(requestId) ?? 0;
    // A request's content is read once, and told with each message that has none of its own.
    bytes += row.content_bytes + (row.content_bytes === 0 || !read.has(requestId) ? ofRequest : 0);
    read.add(requestId);
    return bytes > CONTENT_BYTES_MAX && place > 0;
  });
  return readWhole(store, owner, tooMuch === -1 ? rows : rows.slice(0, tooMuch));
}
