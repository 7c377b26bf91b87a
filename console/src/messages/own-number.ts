import { channel, pageOf } from '../api/resources.ts';
import { api } from '../state/session.svelte.ts';
import type { MessageFilter } from './message-list.ts';

/**
 * The filter with a search for what came to a number, if the number is the account's own, or was: nobody has a conversation with it. The
 * channels say whose it is. A key that may not read them finds people only.
 */
export async function withOwnNumber(filter: MessageFilter): Promise<MessageFilter> {
  const { search } = filter;
  const isNumber = search?.member === 'person' && search.value.startsWith('+');
  if (!isNumber || !(await isOwn(search.value))) return filter;
  return { ...filter, search: { member: 'to', value: search.value } };
}

async function isOwn(number: string): Promise<boolean> {
  let cursor: string | null = null;
  do {
    const query: Record<string, string | number | null> = { limit: 100, cursor };
    const answer = await api({ path: '/api/v1/channels', query }, pageOf(channel));
    if (!answer.ok) return false;
    if (answer.value.data.some(({ phone_number }) => phone_number === number)) return true;
    cursor = answer.value.next_cursor;
  } while (cursor !== null);
  return false;
}
