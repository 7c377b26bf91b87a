import type { DevFile } from '../../src/demo.ts';
import { callApi, type TestAnswer } from './call-api.ts';
import { assertDescribed } from './described-answers.ts';

/** A gateway, and the key with which it is called. */
type Called = Pick<DevFile, 'base_url' | 'test_key'>;

const SEND_PATH = '/api/v1/messages/send';

/** One entry of a send's answer. */
export interface SentEntry {
  to: string;
  status: string;
  id?: string;
  message_id?: string;
  error?: { code: string; detail?: string };
}

/** Sends a text. `key` is an idempotency key. Rejects if the connection breaks. */
export async function sendText(dev: Called, to: string[], options: { key?: string; text?: string } = {}) {
  const body = { to, type: 'text', text: { body: options.text ?? 'Your parcel is here' } };
  const headers = options.key === undefined ? {} : { 'idempotency-key': options.key };
  const answer = await callApi(dev.base_url, 'POST', SEND_PATH, { key: dev.test_key, body, headers });
  assertDescribed('POST', SEND_PATH, answer);
  return answer;
}

export async function readApi(dev: Called, path: string): Promise<TestAnswer> {
  const answer = await callApi(dev.base_url, 'GET', path, { key: dev.test_key });
  assertDescribed('GET', path, answer);
  return answer;
}

/** All messages that a filter finds, from all pages. */
export async function listMessages(dev: Called, filter: string): Promise<{ id: string; status: string }[]> {
  const messages: { id: string; status: string }[] = [];
  for (let cursor = ''; ; ) {
    const { json } = await readApi(dev, `/api/v1/messages?limit=100&${filter}${cursor}`);
    messages.push(...json.data);
    if (json.next_cursor === null) return messages;
    cursor = `&cursor=${json.next_cursor}`;
  }
}

/** Numbers that the sandbox simply accepts. Each `series` has another range of them. */
export function phoneNumbers(series: number, count: number): string[] {
  return Array.from({ length: count }, (_, place) => `+15553${String(series * 100 + place).padStart(6, '0')}`);
}
