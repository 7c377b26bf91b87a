import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { claimDeliveries } from '../../src/endpoints/deliver/claim-store.ts';
import { appendEvents } from '../../src/events/store.ts';
import { newId } from '../../src/kernel/ids.ts';
import { until } from '../support/until.ts';
import { type Harness, startHarness, type TestEndpoint } from './harness.ts';
import { startReceiver } from './receiver.ts';

const LARGE = { message: { id: 'msg_1', contacts: [{ note: 'ä'.repeat(1 << 20) }] } };

/** How many large events are being read, and how many were at once at the most. */
const reads = { now: 0, most: 0, all: 0 };
let harness: Harness;
before(async () => {
  harness = await startHarness({
    onQuery(sql) {
      if (!/\bfrom event where account_id = \$1 and id = \$3\b/.test(sql)) return () => undefined;
      reads.all += 1;
      reads.now += 1;
      reads.most = Math.max(reads.most, reads.now);
      return () => {
        reads.now -= 1;
      };
    },
  });
});
after(() => harness.stop());

async function recordLarge({ accountId, mode }: TestEndpoint, count: number): Promise<void> {
  const draft = { accountId, mode, type: 'message.received', data: LARGE, traceparent: null } as const;
  await harness.database.transaction((tx) => appendEvents(tx, new Array(count).fill(draft)));
  harness.deliveries.nudge();
}

const waitingOf = ({ id }: TestEndpoint) =>
  harness.database.query('select 1 from delivery where endpoint_id = $1', [id]);

describe('events that are as large as notifications may be', () => {
  it('arrive whole, and signed', async () => {
    const receiver = await startReceiver();
    const endpoint = await harness.addEndpoint(receiver.url, { accountId: newId() });
    await recordLarge(endpoint, 3);
    await until(() => receiver.received.length === 3);
    for (const { body, headers } of receiver.received) {
      assert.doesNotThrow(() => new Webhook(endpoint.secret).verify(body, headers));
      assert.deepEqual(JSON.parse(body).data, LARGE);
    }
    await until(async () => (await waitingOf(endpoint)).length === 0);
    await receiver.close();
  });

  it('are read one at a time, or they would take every connection to the database', async () => {
    const receiver = await startReceiver();
    const endpoints = await Promise.all(
      Array.from({ length: 8 }, () => harness.addEndpoint(receiver.url, { accountId: newId() })),
    );
    reads.all = 0;
    for (const endpoint of endpoints) await recordLarge(endpoint, 1);
    await until(() => receiver.received.length === endpoints.length);
    assert.ok(reads.all >= endpoints.length);
    assert.equal(reads.most, 1);
    await receiver.close();
  });

  it('are given up if they expire between the claim and the attempt', async () => {
    const held: ServerResponse[] = [];
    const small = 30;
    const receiver = await startReceiver((response, place) =>
      place < small ? response.writeHead(204).end() : held.push(response),
    );
    const endpoint = await harness.addEndpoint(receiver.url, { accountId: newId() });
    await harness.record(small, { accountId: endpoint.accountId });
    await until(() => receiver.received.length === small);
    await recordLarge(endpoint, 20);
    await until(() => held.length >= 10);
    await harness.database.query('delete from event where account_id = $1', [endpoint.accountId]);
    for (const response of held) response.writeHead(204).end();
    await until(async () => (await waitingOf(endpoint)).length === 0);
    assert.equal(receiver.received.length, small + held.length);
    await receiver.close();
  });

  it('are not read by the claim, or one of some hundred would not end within its time limit', async () => {
    await harness.deliveries.stop(0);
    const endpoint = await harness.addEndpoint('http://127.0.0.1:9/', { accountId: newId() });
    await recordLarge(endpoint, 3);
    await harness.record(1, { accountId: endpoint.accountId });
    const rooms = { rooms: [], roomOfOthers: 10, roomOfFailing: 10, deliveriesMax: 100, claimSeconds: 45 };
    const claimed = await claimDeliveries(harness.database, { ...rooms, nodeId: newId(), after: null });
    const isRead = claimed.filter(({ endpoint_id: id }) => id === endpoint.id).map(({ data }) => data !== null);
    assert.deepEqual(isRead, [false, false, false, true]);
  });
});
