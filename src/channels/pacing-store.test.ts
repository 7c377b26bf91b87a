import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { meetLock } from '../../test/support/meet-lock.ts';
import { newId } from '../kernel/ids.ts';
import { type PaceWish, reserveTurns } from './pacing-store.ts';

const { database, drop } = await createTestDatabase();
after(drop);

const FREE = 'select channel_id from channel_pace where channel_id = $1 for update skip locked';

it('gateways that reserve for the same channels wait for one another in one order, whatever order they were asked in', async () => {
  const accountId = newId();
  const wishes = [newId(), newId()].map(
    (channelId): PaceWish => ({ accountId, channelId, messages: 1, perSecond: 80, horizonMs: 1_000, savedMs: 100 }),
  );
  await reserveTurns(database, wishes);
  const [first, second] = wishes;
  const reserved = await meetLock(database, {
    hold: async (tx) => assert.equal((await tx.query(FREE, [first?.channelId])).length, 1),
    work: () => reserveTurns(database, wishes.toReversed()),
    meanwhile: async (tx) =>
      assert.equal((await tx.query(FREE, [second?.channelId])).length, 1, 'it holds nothing that others may wait for'),
  });
  assert.equal(reserved.length, 2);
});

it('what one channel reserves takes no turn from another of its account', async () => {
  const accountId = newId();
  const wishOf = (channelId: string): PaceWish => ({
    ...{ accountId, channelId, messages: 40, perSecond: 80, horizonMs: 1_000, savedMs: 100 },
  });
  const [busy, idle] = [newId(), newId()];
  await reserveTurns(database, [wishOf(busy), { ...wishOf(idle), messages: 1 }]);
  const nextOf = (id: string) => database.query('select next_at from channel_pace where channel_id = $1', [id]);
  const before = await nextOf(idle);
  const granted = await reserveTurns(database, [wishOf(busy)]);
  assert.deepEqual(
    granted.map(({ channelId }) => channelId),
    [busy],
  );
  assert.deepEqual(await nextOf(idle), before);
});
