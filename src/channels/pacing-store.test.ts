import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { newId } from '../kernel/ids.ts';
import { type PaceGrant, type PaceWish, reserveTurns } from './pacing-store.ts';

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
  let reserving: Promise<PaceGrant[]> | undefined;
  await database.transaction(async (tx) => {
    assert.equal((await tx.query(FREE, [first?.channelId])).length, 1);
    reserving = reserveTurns(database, wishes.toReversed());
    await until(async () => (await countWaitingForLocks(database)) === 1);
    assert.equal((await tx.query(FREE, [second?.channelId])).length, 1, 'it holds nothing that others may wait for');
  });
  assert.equal((await reserving)?.length, 2);
});
