import type { ModelMessage } from './model.ts';

/** Where a status may go by a notification, as the page on statuses has it. */
const NEXT: Record<string, readonly string[]> = {
  accepted: ['sent', 'delivered', 'read', 'failed'],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  read: [],
  failed: ['delivered', 'read'],
  unknown: ['sent', 'delivered', 'read', 'failed'],
};
/** A status that the documentation does not name: it is kept, and changes nothing. */
export const UNKNOWN_STATUS = 'played';

/** Applies a reported status. Returns the event that follows; undefined: none. */
export function applyReport(message: ModelMessage, status: string): string | undefined {
  const { timeline, reported } = message;
  const isRepeated = reported.has(status);
  const proves = message.status === 'failed' && status === 'sent' && message.refused && !reported.has('failed');
  reported.add(status);
  if (!isRepeated && (proves || NEXT[message.status]?.includes(status))) {
    timeline.push({ status, note: null });
    message.status = status;
    return `message.${status}`;
  }
  const isKnown = status !== UNKNOWN_STATUS;
  const note = isRepeated || status === message.status ? 'duplicate' : isKnown ? 'late' : null;
  timeline.push({ status, note });
  return undefined;
}
