import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { systemClock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import { createReadsInTurn } from '../kernel/reads-in-turn.ts';
import type { Queryable } from '../store/database.ts';
import type { EventType } from './event.ts';
import { createEventReads, type WrittenEvent } from './event-reads.ts';
import { appendEvents } from './store.ts';

/** More than a list holds of one event. */
const LARGE = 200_000;

const inTurn = createReadsInTurn({ atOnceMax: () => 10, waitMs: 60_000, clock: systemClock });

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
    const { latest } = createEventReads(test.database, () => '', inTurn);
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
    const { list } = createEventReads(test.database, () => '', inTurn);
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
    const { list } = createEventReads(test.database, () => '', inTurn);
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

  it('read the large events of an account one at a time, or they would take every connection to the database', async () => {
    const [accountId, other] = [newId(), newId()];
    for (const id of [accountId, other])
      await record(id, 'test', ['message.sent', 'message.sent', 'message.sent'], 'x'.repeat(LARGE));
    const reading = new Map<unknown, number>();
    let most = 0;
    const counting: Queryable = {
      async query(sql, values = []) {
        if (!/\bwhere account_id = \$1 and id = \$3\b/.test(sql)) return test.database.query(sql, values);
        const now = (reading.get(values[0]) ?? 0) + 1;
        reading.set(values[0], now);
        most = Math.max(most, now);
        return test.database.query<never>(sql, values).finally(() => reading.set(values[0], now - 1));
      },
    };
    const { list } = createEventReads(counting, () => '', inTurn);
    const wish = { mode: 'test', after: 0, types: null, limit: 10 } as const;
    const events = (await Promise.all([accountId, other].map((id) => list({ ...wish, accountId: id })))).flat();
    await Promise.all(events.map(({ text }) => (typeof text === 'string' ? text : text())));
    assert.deepEqual([...reading.keys()], [accountId, other]);
    assert.equal(most, 1);
  });
});
