import type { EventDraft } from '../events/event.ts';
import type { Queryable } from '../store/database.ts';
import { readChannels } from './facts-store.ts';
import { channelEvent } from './present.ts';
import { type ChannelRow, listUsableChannels, lockChannels } from './store.ts';

/**
 * What an account is told of its other channels when one was connected, changed or removed: those that are the default now,
 * or are it no more. An only channel is the default without being marked, so no single row tells it. To be called in the
 * transaction of the change, after it and with the account locked; `before` is what `listUsableChannels` gave there before it.
 */
export async function draftDefaultEvents(
  tx: Queryable,
  accountId: string,
  before: readonly ChannelRow[],
  changedId: string,
): Promise<EventDraft[]> {
  const was = new Map(before.map((row) => [row.id, row.is_default]));
  const after = await listUsableChannels(tx, accountId);
  const others = after.filter(({ id, is_default: isDefault }) => id !== changedId && was.get(id) !== isDefault);
  if (others.length === 0) return [];
  // One may be being suspended, for which the account is not locked.
  await lockChannels(tx, others);
  return (await readChannels(tx, others)).map((row) => channelEvent(row));
}
