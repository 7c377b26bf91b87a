import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import type { EventType } from './event.ts';
import { createEventReads, type WrittenEvent } from './event-reads.ts';
import { appendEvents } from './store.ts';

/** More than a list holds of one event. */
const LARGE = 200_000;

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

function record(accountId: string, mode: Mode, types: EventType[], text = 'x'): Promise<void> {
  const drafts = types.map((type, place) => ({
    ...{ accountId, mode, type, traceparent: null },
    data: { message: { text: `${place}${text}` } },
  }));
  return test.database.transaction((tx) => appendEvents(tx, drafts));
}

const sequencesOf = (events: readonly WrittenEvent[]) => events.map(({ sequence }) => sequence);

describe('readers who ask at the same time for what differs', () => {
  it('are told the last number of their own log', async () => {
    const [accountId, other] = [newId(), newId()];
    await record(accountId, 'test', ['message.sent', 'message.read']);
    await record(accountId, 'live', ['message.sent']);
    const { latest } = createEventReads(test.database, () => '');
    const logs = [
      { accountId, mode: 'test' },
      { accountId, mode: 'live' },
      { accountId: other, mode: 'test' },
    ] as const;
    assert.deepEqual(await Promise.all(logs.map(latest)), [2, 1, 0]);
  });

  it('are given what each has asked for', async () => {
    const accountId = newId();
    await record(accountId, 'test', ['message.sent', 'message.read', 'message.sent']);
    await record(accountId, 'live', ['message.read']);
    const { list } = createEventReads(test.database, () => '');
    const all = { accountId, mode: 'test', after: 0, types: null, limit: 10 } as const;
    const given = await Promise.all([
      list(all),
      list({ ...all, mode: 'live' }),
      list({ ...all, accountId: newId() }),
      list({ ...all, after: 1 }),
      list({ ...all, limit: 2 }),
      list({ ...all, types: ['message.read'] }),
      list({ ...all, types: ['message.sent'] }),
    ]);
    assert.deepEqual(given.map(sequencesOf), [[1, 2, 3], [1], [], [2, 3], [1, 2], [2], [1, 3]]);
  });

  it('read each large event as itself', async () => {
    const accountId = newId();
    await record(accountId, 'test', ['message.sent', 'message.sent'], 'x'.repeat(LARGE));
    const { list } = createEventReads(test.database, () => '');
    const events = await list({ accountId, mode: 'test', after: 0, types: null, limit: 10 });
    const texts = await Promise.all(events.map(({ text }) => (typeof text === 'string' ? text : text())));
    assert.deepEqual(
      texts.map((text) => JSON.parse(text)).map(({ sequence, data }) => [sequence, data.message.text.slice(0, 2)]),
      [
        [1, '0x'],
        [2, '1x'],
      ],
    );
  });
});
