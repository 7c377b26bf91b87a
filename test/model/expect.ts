import assert from 'node:assert/strict';
import type { TestAnswer } from '../support/call-api.ts';
import type { ModelData, ModelEvent, ModelMessage } from './model.ts';
import { isModelled, type ShownEvent } from './read-log.ts';

/** Asserts that a message is shown as it must be. A list shows it without its timeline. */
export function expectMessage(shown: TestAnswer['json'], message: ModelMessage): void {
  const person = message.direction === 'outbound' ? shown.to : shown.from;
  assert.deepEqual(
    [shown.id, shown.direction, shown.status, shown.client_reference, person, shown.message_id],
    [message.id, message.direction, message.status, message.clientReference, message.person, message.providerId],
  );
  assert.equal(shown.error === null, !['failed', 'unknown'].includes(message.status), JSON.stringify(shown));
  if (shown.timeline === undefined) return;
  const told = (entries: { status: string; note: string | null }[]) =>
    entries.map(({ status, note }) => `${status} ${note}`).sort();
  assert.deepEqual(told(shown.timeline), told(message.timeline));
}

/** Asserts that these events were recorded. Those of one request come in no promised order; of each message they do. */
export function expectEvents(shown: readonly ShownEvent[], { events }: ModelData): void {
  const known = shown.filter(isModelled);
  const byMessage = (all: ModelEvent[]) =>
    [...Map.groupBy(all, ({ messageId = '' }) => messageId)]
      .map(([id, of]) => `${id} ${of.map(({ type }) => type)}`)
      .sort();
  assert.deepEqual(
    byMessage(known.map(({ type, data }) => ({ type, ...(data.message && { messageId: data.message.id }) }))),
    byMessage(events),
  );
}
