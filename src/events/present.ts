import { formatId } from '../kernel/ids.ts';
import { isMessageError, presentMessageError } from '../kernel/message-errors.ts';
import type { EventView } from './event.ts';
import type { EventRow } from './store.ts';

/** An event as it goes to customers. A message's error is stored bare, and gets the table's words here. */
export function presentEvent(row: EventRow, docsUrl: string): EventView {
  return {
    id: formatId('evt', row.id),
    type: row.type,
    sequence: row.sequence,
    timestamp: row.at.toISOString(),
    account_id: row.account_id,
    data: presentData(row.data, docsUrl),
  };
}

function presentData(data: Record<string, unknown>, docsUrl: string): unknown {
  const { message } = data;
  if (typeof message !== 'object' || message === null || !('error' in message)) return data;
  if (!isMessageError(message.error)) return data;
  return { ...data, message: { ...message, error: presentMessageError(message.error, docsUrl) } };
}
