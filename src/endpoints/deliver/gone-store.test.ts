import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createTestDatabase } from '../../../test/support/database.ts';
import { appendEvents } from '../../events/store.ts';
import { newId } from '../../kernel/ids.ts';
import { insertEndpoint } from '../store.ts';
import { claimDeliveries } from './claim-store.ts';
import { releaseOfNode } from './gone-store.ts';

const { database, drop } = await createTestDatabase();
after(drop);

describe('what a gone node had claimed', () => {
  it('is due again at once, at whichever endpoint, and what others have claimed is not', async () => {
    const endpoints = [await addEndpoint(), await addEndpoint()];
    for (const { accountId } of endpoints) await record(accountId, 6);
    const [gone, other] = [newId(), newId()];
    assert.equal((await claim(gone, 3)).length, 6);
    assert.equal((await claim(other, 2)).length, 4);
    assert.equal((await claim(newId(), 0)).length, 0);

    assert.equal(await releaseOfNode(database, gone), 6);

    const again = await claim(newId(), 9);
    assert.equal(again.length, 8);
    assert.deepEqual(sequences(again), [1, 1, 2, 2, 3, 3, 6, 6]);
    assert.equal(await releaseOfNode(database, gone), 0, 'Somebody else has it now');
  });

  it('is left to who writes it just then', async () => {
    const { accountId } = await addEndpoint();
    await record(accountId, 2);
    const gone = newId();
    const [first] = await claim(gone, 2);
    await database.transaction(async (tx) => {
      await tx.query('select 1 from delivery where event_id = $1 for update', [first?.event_id]);
      assert.equal(await releaseOfNode(database, gone), 1);
    });
    assert.equal(await releaseOfNode(database, gone), 1);
  });
});

async function addEndpoint(): Promise<{ accountId: string }> {
  const accountId = newId();
  await insertEndpoint(database, {
    account_id: accountId,
    id: newId(),
    mode: 'test',
    url: 'https://endpoint.test/',
    types: null,
    description: null,
    secret_sealed: Buffer.alloc(32),
  });
  return { accountId };
}

async function record(accountId: string, events: number): Promise<void> {
  const draft = { accountId, mode: 'test', type: 'message.sent', data: {}, traceparent: null } as const;
  await database.transaction((tx) =>
    appendEvents(
      tx,
      Array.from({ length: events }, () => draft),
    ),
  );
}

/** So many of each endpoint. */
function claim(nodeId: string, room: number) {
  const limits = { rooms: [], roomOfOthers: room, roomOfFailing: room, deliveriesMax: 1_000, claimSeconds: 45 };
  return claimDeliveries(database, { ...limits, nodeId, after: null });
}

const sequences = (claimed: Awaited<ReturnType<typeof claim>>) => claimed.map(({ sequence }) => sequence).sort();
