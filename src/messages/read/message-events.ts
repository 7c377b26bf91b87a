import type { EventDraft, EventType } from '../../events/event.ts';
import type { StoredMessageError } from '../../kernel/message-errors.ts';
import { markMessages } from '../../statistics/mark.ts';
import type { Queryable } from '../../store/database.ts';
import { inboundMembers } from '../inbound-content.ts';
import type { MessageStatus } from '../message.ts';
import { messageMembers } from './present.ts';
import { type EventSourceRow, findEventSources } from './read-store.ts';

/** A step of a message that its customer is told of. */
export interface MessageEvent {
  accountId: string;
  messageId: string;
  /** What it became, which is also the event's name. */
  status: Exclude<MessageStatus, 'pending' | 'transmitting'>;
  error: StoredMessageError | null;
}

/**
 * Writes events of messages out, each with the message as it was at that step. Only an inbound one has its content. It also
 * has the messages counted again: whatever changes their counts, apart from the answers of sends and a report of what was refused, passes through here.
 */
export async function draftMessageEvents(tx: Queryable, events: readonly MessageEvent[]): Promise<EventDraft[]> {
  if (events.length === 0) return [];
  await markMessages(tx, events);
  const sources = new Map((await findEventSources(tx, events)).map((row) => [row.id, row]));
  return events.map((event) => {
    const row = sources.get(event.messageId);
    if (row === undefined) throw new Error('An event tells of a message that has no row');
    return draftOf(event, row);
  });
}

function draftOf({ accountId, status, error }: MessageEvent, row: EventSourceRow): EventDraft {
  const type: EventType = `message.${status}`;
  const members = messageMembers({ ...row, status, error }, accountId, row.channel_number);
  const message = status === 'received' ? { ...members, ...inboundMembers(row.type, row.content) } : members;
  return { accountId, mode: row.mode, type, data: { message }, traceparent: row.traceparent };
}
