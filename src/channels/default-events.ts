import type { EventDraft } from '../events/event.ts';
import { channelEvent } from './present.ts';
import type { ChannelRow } from './store.ts';

/**
 * What an account is told of its other channels when one was connected, changed or removed: those that are the default now,
 * or are it no more. An only channel is the default without being marked, so no single row tells it; both lists are what
 * `listUsableChannels` gives in the transaction of the change, before it and after it.
 */
export function draftDefaultEvents(
  before: readonly ChannelRow[],
  after: readonly ChannelRow[],
  changedId: string,
): EventDraft[] {
  const was = new Map(before.map((row) => [row.id, row.is_default]));
  const others = after.filter(({ id, is_default: isDefault }) => id !== changedId && was.get(id) !== isDefault);
  return others.map((row) => channelEvent(row));
}
