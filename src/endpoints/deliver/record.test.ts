import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createTestDatabase } from '../../../test/support/database.ts';
import { appendEvents } from '../../events/store.ts';
import { newId } from '../../kernel/ids.ts';
import { insertEndpoint, rotateSecret } from '../store.ts';
import { type ClaimedDelivery, claimDeliveries } from './claim-store.ts';
import { findUnchanged } from './note-store.ts';
import { createRecorder, type MadeAttempt } from './record.ts';

const { database, drop } = await createTestDatabase();
after(drop);

describe('attempts that are written down together', () => {
  it('keep what has failed for its next try, beside what has arrived', async () => {
    const { id, accountId, claimed } = await claimOf(2);
    await recordAll(claimed, [204, 500]);
    const left = await database.query(
      'select event_id, attempts, claimed_until is null as free from delivery where endpoint_id = $1',
      [id],
    );
    assert.deepEqual(left, [{ event_id: claimed[1]?.event_id, attempts: 1, free: true }]);
    const attempts = await database.query('select outcome from attempt where account_id = $1 order by at', [accountId]);
    assert.deepEqual(attempts, [{ outcome: 'succeeded' }, { outcome: 'failed' }]);
  });

  it('begin the five days anew with one success among them, and not those of another endpoint of the account', async () => {
    const { id, accountId, claimed } = await claimOf(3);
    const other = await addEndpoint(accountId);
    await database.query("update endpoint set failing_since = now() - interval '9 days' where account_id = $1", [
      accountId,
    ]);
    await recordAll(claimed, [500, 204, 500]);
    assert.deepEqual(await endpoint(id), { enabled: true, disabled_reason: null, failing: false });
    assert.deepEqual(await endpoint(other), { enabled: true, disabled_reason: null, failing: true });
  });

  it('begin the five days with the first failure, and a success at another address does not end them', async () => {
    const { id, claimed } = await claimOf(2);
    await recordAll(claimed.slice(1), [500]);
    const elsewhere = claimed.slice(0, 1).map((one) => ({ ...one, address_version: one.address_version + 1 }));
    await recordAll(elsewhere, [204]);
    assert.deepEqual(await endpoint(id), { enabled: true, disabled_reason: null, failing: true });
    assert.equal(await isChanged(id), false, 'what its owner sees of it is as before');
  });

  it('disable an endpoint that says it is gone, whatever succeeded in the same moment, and tell so once', async () => {
    const { id, accountId, claimed } = await claimOf(3);
    await database.query("update endpoint set failing_since = now() - interval '1 day' where id = $1", [id]);
    const told = await recordAll(claimed.slice(1), [204, 410]);
    assert.deepEqual(await endpoint(id), { enabled: false, disabled_reason: 'gone', failing: true });
    assert.equal(await isChanged(id), true);
    assert.equal(told, 1);
    assert.deepEqual(await findUnchanged(database, claimed), [], 'what another node holds of it is let go');
    assert.equal(await recordAll(claimed.slice(0, 1), [410]), 0, 'it was under way at that moment');
    const events = await database.query("select 1 from event where account_id = $1 and type = 'endpoint.disabled'", [
      accountId,
    ]);
    assert.equal(events.length, 1);
  });

  it('name a next try only where one is made: not at an endpoint that is off, whoever turned it off and when', async () => {
    const gone = await claimOf(3);
    await recordAll(gone.claimed.slice(0, 2), [410, 500]);
    await recordAll(gone.claimed.slice(2), [500]);
    assert.deepEqual(await nextTries(gone.accountId), [false, false, false]);
    const changed = await claimOf(3);
    await recordAll(changed.claimed.slice(0, 1), [500]);
    const turn = 'update endpoint set enabled = $2, version = version + 1 where id = $1';
    await database.query(turn, [changed.id, false]);
    await recordAll(changed.claimed.slice(1, 2), [500]);
    assert.deepEqual(await nextTries(changed.accountId), [true, false]);
    await database.query(turn, [changed.id, true]);
    await recordAll(changed.claimed.slice(2), [500]);
    assert.deepEqual(await nextTries(changed.accountId), [true, false, true]);
  });
});

it('an endpoint with a new secret is not what was claimed before, so that no node signs on with the old one', async () => {
  const { id, accountId, claimed } = await claimOf(1);
  await addEndpoint(accountId); // Another one, which has not changed.
  assert.equal((await findUnchanged(database, claimed)).length, 1);
  await rotateSecret(database, { accountId, id, mode: 'test' }, Buffer.alloc(32), 0);
  assert.deepEqual(await findUnchanged(database, claimed), []);
});

/** As its `updated_at` says. */
async function isChanged(id: string): Promise<boolean | undefined> {
  const sql = 'select updated_at > created_at as changed from endpoint where id = $1';
  return (await database.query<{ changed: boolean }>(sql, [id]))[0]?.changed;
}

/** Of each attempt, in the order in which they were recorded, whether it names a next one. */
async function nextTries(accountId: string): Promise<boolean[]> {
  const rows = await database.query<{ next: boolean }>(
    'select next_at is not null as next from attempt where account_id = $1 order by id',
    [accountId],
  );
  return rows.map(({ next }) => next);
}

/** An endpoint of an account of its own, with so many deliveries claimed. */
async function claimOf(count: number) {
  const accountId = newId();
  const id = await addEndpoint(accountId);
  const draft = { accountId, mode: 'test', type: 'message.sent', data: {}, traceparent: null } as const;
  await database.transaction((tx) => appendEvents(tx, new Array(count).fill(draft)));
  const limits = {
    rooms: [],
    roomOfOthers: count,
    roomOfFailing: count,
    deliveriesMax: 100,
    claimSeconds: 45,
    nodeId: newId(),
    after: null,
  };
  const claimed = (await claimDeliveries(database, limits)).filter(({ endpoint_id: of }) => of === id);
  assert.equal(claimed.length, count);
  return { id, accountId, claimed };
}

async function addEndpoint(accountId: string): Promise<string> {
  const id = newId();
  const url = 'http://127.0.0.1:9/';
  const row = { account_id: accountId, id, mode: 'test', url, types: null, description: null } as const;
  await insertEndpoint(database, { ...row, secret_sealed: Buffer.alloc(1) });
  return id;
}

/** Has what was claimed answered so, all in one moment. Returns how often it was told that events were recorded. */
async function recordAll(claimed: readonly ClaimedDelivery[], statuses: readonly number[]): Promise<number> {
  let told = 0;
  const recorder = createRecorder(database, () => told++);
  await Promise.all(claimed.map((delivery, place) => recorder.add(madeOf(delivery, statuses[place] ?? 0, place))));
  return told;
}

function madeOf(delivery: ClaimedDelivery, status: number, place: number): MadeAttempt {
  const outcome = status < 300 ? 'succeeded' : 'failed';
  return {
    delivery: { ...delivery, type: 'message.sent' },
    outcome: {
      ...{ id: newId(), at: new Date(place), outcome, http_status: status, error: null, duration_ms: 1 },
      ...{ answer: null, retryAfter: [] },
    },
    waitMs: outcome === 'succeeded' ? null : 3_600_000,
  };
}

async function endpoint(id: string): Promise<unknown> {
  const [row] = await database.query(
    'select enabled, disabled_reason, failing_since is not null as failing from endpoint where id = $1',
    [id],
  );
  return row;
}
