import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type ClaimedDelivery,
  claimDeliveries,
  postponeDeliveries,
  releaseDeliveries,
  removeDeliveries,
  replayEvents,
} from '../../src/endpoints/deliver/delivery-store.ts';
import { newId } from '../../src/kernel/ids.ts';
import { until } from '../support/until.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';
import { type Harness, startHarness } from './harness.ts';

const EVENTS = 3;

let harness: Harness;
before(async () => {
  harness = await startHarness();
  await harness.deliveries.stop(0);
});
after(() => harness.stop());

/** What is left of the deliveries of an endpoint after `write`, which met a replay that had them all and was not committed yet. */
async function leftAfter(write: (claimed: ClaimedDelivery[]) => Promise<unknown>) {
  const { database } = harness;
  const { id: endpointId, accountId } = await harness.addEndpoint('http://127.0.0.1:9/', { accountId: newId() });
  await harness.record(EVENTS, { accountId });
  const limits = { rooms: [], roomOfOthers: EVENTS, deliveriesMax: 100, leaseSeconds: 45, after: null };
  const claimed = (await claimDeliveries(database, limits)).filter((one) => one.endpoint_id === endpointId);
  assert.equal(claimed.length, EVENTS);
  const wish = {
    accountId,
    mode: 'test' as const,
    endpointId,
    types: null,
    eventId: null,
    afterSequence: 0,
    upTo: EVENTS,
  };
  const { writing } = await database.transaction(async (tx) => {
    await replayEvents(tx, wish, 100);
    const begun = write(claimed);
    await until(async () => (await countWaitingForLocks(database)) > 0);
    return { writing: begun };
  });
  await writing;
  return database.query<{ attempts: number; claimed: boolean }>(
    'select attempts, claimed_until is not null as claimed from delivery where endpoint_id = $1',
    [endpointId],
  );
}

describe('what meets a replay of the same deliveries', () => {
  it('is given back at once, and not when its lease is over', async () => {
    const left = await leftAfter((claimed) => releaseDeliveries(harness.database, claimed));
    assert.deepEqual(left, Array(EVENTS).fill({ attempts: 0, claimed: false }));
  });

  it('is taken away when it has arrived', async () => {
    assert.deepEqual(await leftAfter((claimed) => removeDeliveries(harness.database, claimed)), []);
  });

  it('comes again after the wait of a try that has failed', async () => {
    const left = await leftAfter((claimed) =>
      harness.database.transaction((tx) =>
        postponeDeliveries(
          tx,
          claimed.map((one) => ({ ...one, waitMs: 5_000 })),
        ),
      ),
    );
    assert.deepEqual(left, Array(EVENTS).fill({ attempts: 1, claimed: false }));
  });

  it('is left to who has claimed it since', async () => {
    const left = await leftAfter((claimed) =>
      releaseDeliveries(
        harness.database,
        claimed.map((one) => ({ ...one, claimed_until_us: one.claimed_until_us - 1 })),
      ),
    );
    assert.deepEqual(left, Array(EVENTS).fill({ attempts: 0, claimed: true }));
  });
});
