import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mintSecret } from '../../src/endpoints/deliver/sign.ts';
import { newId } from '../../src/kernel/ids.ts';
import { until } from '../support/until.ts';
import { type Harness, startHarness } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const DEAD = 50;
const BACKLOG = 40;
const HEALTHY_EVENTS = 40;
/** Far longer than the test takes on any machine, so that a dead endpoint keeps what it holds. */
const TIMEOUT_MS = 600_000;

describe('a healthy endpoint beside 50 dead ones', () => {
  let harness: Harness;
  let dead: Receiver;
  let healthy: Receiver;
  before(async () => {
    harness = await startHarness({ timeoutMs: TIMEOUT_MS });
    dead = await startReceiver(() => undefined);
    healthy = await startReceiver();
  });
  after(async () => {
    await harness.stop();
    await Promise.all([dead.close(), healthy.close()]);
  });

  /** The time from the recording of an event to its arrival, for one event after another. */
  async function medianDelay(accountId: string): Promise<number> {
    await harness.addEndpoint(healthy.url, { accountId, types: ['message.read'] });
    const delays: number[] = [];
    for (let count = 0; count < HEALTHY_EVENTS; count += 1) {
      const before = healthy.received.length;
      const recordedMs = Date.now();
      await harness.record(1, { accountId, type: 'message.read' });
      const received = await until(() => healthy.received[before]);
      delays.push(received.atMs - recordedMs);
    }
    return delays.sort((a, b) => a - b)[HEALTHY_EVENTS / 2] ?? Number.NaN;
  }

  for (const whose of ['the same account', 'other accounts']) {
    it(`gets its events within a second when the dead ones belong to ${whose}`, async (t) => {
      const accountId = newId();
      const deadAccounts = whose === 'the same account' ? [accountId] : Array.from({ length: DEAD }, () => newId());
      for (let place = 0; place < DEAD; place += 1)
        await harness.addEndpoint(dead.url, {
          accountId: deadAccounts[place % deadAccounts.length] ?? accountId,
          types: ['message.sent'],
        });
      for (const of of deadAccounts) await harness.record(BACKLOG, { accountId: of, type: 'message.sent' });
      const median = await medianDelay(accountId);
      assert.ok(median < 1_000, `median ${median} ms`);
      t.diagnostic(`median ${median} ms`);
    });
  }

  it('gets its events within a second beside a backlog of 100,000', async () => {
    const accountId = newId();
    const { id } = await harness.addEndpoint(dead.url, { accountId, types: ['message.sent'] });
    await harness.record(1, { accountId, type: 'message.sent' });
    await harness.database.query(
      `insert into delivery (account_id, endpoint_id, event_id, next_at)
       select $1, $2, gen_random_uuid(), now() - place * interval '1 ms' from generate_series(1, 100000) place`,
      [accountId, id],
    );
    assert.ok((await medianDelay(accountId)) < 1_000);
    await harness.database.query('delete from delivery where endpoint_id = $1', [id]);
  });

  it('is not held up by what every dead one holds: one attempt each', async () => {
    const beside = 2 * DEAD + 1;
    await until(() => dead.received.length >= beside);
    assert.equal(dead.received.length, beside);
  });

  it('gets its events within a second beside 2,000 more that were dead before', async () => {
    const failing = { accountId: newId(), type: 'message.sent' } as const;
    const ids = Array.from({ length: 2_000 }, () => newId());
    const sealed = ids.map((id) => harness.sealer.seal(mintSecret(), id));
    await harness.database.query(
      `insert into endpoint (account_id, id, mode, url, secret_sealed, failing_since)
       select $1, id, 'test', $2, secret, now() from unnest($3::uuid[], $4::bytea[]) as made(id, secret)`,
      [failing.accountId, dead.url, ids, sealed],
    );
    await harness.record(1, failing);
    await until(() => dead.received.length >= 1_750);
    assert.ok((await medianDelay(newId())) < 1_000);
    assert.ok(dead.received.length <= 1_750, `${dead.received.length} dead ones have a place`);
  });
});
