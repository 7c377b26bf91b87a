import { formatId } from '../kernel/ids.ts';
import { isRecord } from '../kernel/is-record.ts';
import { isMessageError, presentMessageError } from '../kernel/message-errors.ts';
import type { EventRow } from './store.ts';

/** As PostgreSQL writes it in the text of a `jsonb`; within a text its quotes are escaped. */
const ERROR_MEMBER = '"error": {';

/**
 * An event as it goes to customers, as JSON: the same bytes each time. The stored data go through as they are, because to read
 * and write them anew would be most of the work; only a message's error, which is stored bare, gets the table's words.
 */
export function eventText(row: EventRow, docsUrl: string): string {
  const id = formatId('evt', row.id);
  const timestamp = new Date(row.at_ms).toISOString();
  // None of these has a sign that JSON escapes.
  const members = `"id":"${id}","type":"${row.type}","sequence":${row.sequence},"timestamp":"${timestamp}"`;
  return `{${members},"account_id":"${row.account_id}","data":${dataText(row.data, docsUrl)}}`;
}

function dataText(stored: string, docsUrl: string): string {
  if (!stored.includes(ERROR_MEMBER)) return stored;
  const data: unknown = JSON.parse(stored);
  if (!isRecord(data) || !isRecord(data.message)) return stored;
  const { message } = data;
  const { error } = message;
  if (!isMessageError(error)) return stored;
  return JSON.stringify({ ...data, message: { ...message, error: presentMessageError(error, docsUrl) } });
}
