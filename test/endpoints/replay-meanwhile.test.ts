import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ClaimedDelivery, claimDeliveries } from '../../src/endpoints/deliver/claim-store.ts';
import { releaseDeliveries, removeDeliveries, settleDeliveries } from '../../src/endpoints/deliver/delivery-store.ts';
import { type ReplayWish, replayEvents } from '../../src/endpoints/deliver/replay-store.ts';
import { recordSuccesses } from '../../src/endpoints/deliver/success-store.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Transaction } from '../../src/store/database.ts';
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

interface Met {
  /** Writes to the claimed deliveries, and waits for what `before` has written. */
  write(claimed: ClaimedDelivery[]): Promise<unknown>;
  /** Writes to the deliveries first; commits only when `write` waits for it. */
  before?(tx: Transaction, wish: ReplayWish): Promise<unknown>;
}

/** The deliveries that are left of an endpoint when `write` met a replay of all of them that was not committed yet. */
async function leftAfter({ write, before = (tx, wish) => replayEvents(tx, wish, 100) }: Met) {
  const { database } = harness;
  const { id: endpointId, accountId } = await harness.addEndpoint('http://127.0.0.1:9/', { accountId: newId() });
  await harness.record(EVENTS, { accountId });
  const limits = {
    rooms: [],
    roomOfOthers: EVENTS,
    roomOfFailing: EVENTS,
    deliveriesMax: 100,
    claimSeconds: 45,
    nodeId: newId(),
    after: null,
  };
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
    await before(tx, wish);
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

const STARTED_OVER = Array(EVENTS).fill({ attempts: 0, claimed: false });
const asSuccesses = (deliveries: ClaimedDelivery[]) => ({ endpoints: [], attempts: [], deliveries });

describe('what meets a replay of the same deliveries', () => {
  it('goes out once more although it has arrived', async () => {
    const { database } = harness;
    const removed = { write: (claimed: ClaimedDelivery[]) => removeDeliveries(database, claimed) };
    assert.deepEqual(await leftAfter(removed), STARTED_OVER);
    const recorded = async (claimed: ClaimedDelivery[]) => {
      assert.equal(await recordSuccesses(database, asSuccesses(claimed)), 0, 'It waits for nobody');
      return removeDeliveries(database, claimed);
    };
    assert.deepEqual(await leftAfter({ write: recorded }), STARTED_OVER);
  });

  it('is due at once with all its tries although one of them has failed, or was not begun', async () => {
    const { database } = harness;
    const failed = (claimed: ClaimedDelivery[]) => claimed.map((one) => ({ ...one, waitMs: 5_000 }));
    const write = (claimed: ClaimedDelivery[]) => database.transaction((tx) => settleDeliveries(tx, failed(claimed)));
    assert.deepEqual(await leftAfter({ write }), STARTED_OVER);
    const release = { write: (claimed: ClaimedDelivery[]) => releaseDeliveries(database, claimed) };
    assert.deepEqual(await leftAfter(release), STARTED_OVER);
  });
});

describe('what meets another claim of the same deliveries, after its own is over', () => {
  const before = (tx: Transaction, { endpointId }: ReplayWish) =>
    tx.query("update delivery set claimed_until = now() + interval '1 minute' where endpoint_id = $1", [endpointId]);

  it('is taken away when it has arrived', async () => {
    const write = (claimed: ClaimedDelivery[]) => removeDeliveries(harness.database, claimed);
    assert.deepEqual(await leftAfter({ write, before }), []);
  });

  it('is left to that claim when it was not begun', async () => {
    const write = (claimed: ClaimedDelivery[]) => releaseDeliveries(harness.database, claimed);
    assert.deepEqual(await leftAfter({ write, before }), Array(EVENTS).fill({ attempts: 0, claimed: true }));
  });
});
