import type { EventDraft } from '../events/event.ts';
import type { Queryable } from '../store/database.ts';
import { readChannels } from './facts-store.ts';
import { channelEvent } from './present.ts';
import { type ChannelRow, lockChannels } from './store.ts';

/**
 * What an account is told of its other channels when one was connected, changed or removed: those that are the default now,
 * or are it no more. An only channel is the default without being marked, so no single row tells it; both lists are what
 * `listUsableChannels` gives in the transaction of the change, before it and after it. The account is locked.
 */
export async function draftDefaultEvents(
  tx: Queryable,
  before: readonly ChannelRow[],
  after: readonly ChannelRow[],
  changedId: string,
): Promise<EventDraft[]> {
  const was = new Map(before.map((row) => [row.id, row.is_default]));
  const others = after.filter(({ id, is_default: isDefault }) => id !== changedId && was.get(id) !== isDefault);
  if (others.length === 0) return [];
  // One may be being suspended, for which the account is not locked.
  await lockChannels(tx, others);
  return (await readChannels(tx, others)).map((row) => channelEvent(row));
}
