import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { tidyDeliveries } from '../../src/endpoints/deliver/delivery-store.ts';
import { newId } from '../../src/kernel/ids.ts';
import { until } from '../support/until.ts';
import { type Harness, startHarness } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** More attempts succeed in a row than go out at once, so that some deliveries are claimed and wait. */
const ANSWERED = 30;

describe('nodes that share deliveries', () => {
  let harness: Harness;
  const receivers: Receiver[] = [];
  before(async () => {
    harness = await startHarness();
  });
  beforeEach(async () => {
    await harness.database.query('delete from delivery');
  });
  after(async () => {
    await harness.stop();
    await Promise.all(receivers.map((receiver) => receiver.close()));
  });
  const receive: typeof startReceiver = async (answer) => {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    return receiver;
  };
  const leased = async () =>
    (
      await harness.database.query<{ count: number }>(
        'select count(*) as count from delivery where claimed_until > now()',
      )
    )[0]?.count;

  it('make one attempt for each event when all goes well', async () => {
    const nodes = [harness.startNode(), harness.startNode()];
    const receiver = await receive((response) => setTimeout(() => response.writeHead(204).end(), 2));
    const accountId = newId();
    await harness.addEndpoint(receiver.url, { accountId });
    for (let count = 0; count < 20; count += 1) {
      await harness.record(20, { accountId });
      for (const node of nodes) node.nudge();
    }
    await until(async () => (await harness.waiting()) === 0);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(ids.length, 400);
    assert.equal(new Set(ids).size, 400);
    await Promise.all(nodes.map((node) => node.stop(10_000)));
  });

  it('take away what has arrived, although its row has moved, and not what stands in its place by now', async () => {
    const held: ServerResponse[] = [];
    const receiver = await receive((response) => void held.push(response));
    const accountId = newId();
    const endpoint = await harness.addEndpoint(receiver.url, { accountId });
    const { database } = harness;
    const answer = async () => {
      await until(() => held.length === 1);
      held.pop()?.writeHead(204).end();
    };
    await harness.record(1, { accountId });
    await until(() => held.length === 1);
    // As the claim of another node does it.
    const moved = "update delivery set claimed_until = now() + interval '1 minute' where account_id = $1";
    await database.query(moved, [accountId]);
    await answer();
    await until(async () => (await harness.waiting()) === 0);
    assert.equal((await harness.attemptsOf(endpoint, 1)).length, 1);

    // Emptied like this, a table is filled from its beginning, whatever a statement of somebody else may still see of it.
    await database.query('truncate delivery');
    await harness.record(1, { accountId });
    await until(() => held.length === 1);
    const places = () => database.query<{ place: string }>('select ctid::text as place from delivery order by ctid');
    const [claimed] = await places();
    await database.query('truncate delivery');
    const others =
      'insert into delivery (account_id, endpoint_id, event_id, next_at) select $1, $2, id, $4 from unnest($3::uuid[]) id';
    await database.query(others, [accountId, endpoint.id, [newId(), newId()], '2999-01-01']);
    assert.deepEqual((await places()).at(-1), claimed, 'one stands where the other one stood');
    await answer();
    await harness.attemptsOf(endpoint, 2);
    assert.equal((await places()).length, 2);
  });

  it('take over what a node that is gone had claimed, with the same id', async () => {
    const receiver = await receive();
    const accountId = newId();
    const endpoint = await harness.addEndpoint(receiver.url, { accountId });
    await harness.deliveries.stop(0);
    await harness.record(3, { accountId });
    await harness.database.query("update delivery set claimed_until = now() + interval '4 minutes'");
    const node = harness.startNode();
    await harness.record(1, { accountId });
    node.nudge();
    await harness.attemptsOf(endpoint, 1);
    assert.equal(receiver.received.length, 1);
    await harness.database.query('update delivery set claimed_until = now()');
    node.nudge();
    await harness.attemptsOf(endpoint, 4);
    const sequences = receiver.received.map(({ body }) => JSON.parse(body).sequence);
    assert.deepEqual(sequences.toSorted(), [1, 2, 3, 4]);
    await node.stop(10_000);
  });

  it('end after the attempts under way, and leave the rest to the others at once', async () => {
    const node = harness.startNode();
    const answers: (() => void)[] = [];
    const receiver = await receive((response, place) => {
      const answer = () => response.writeHead(204).end();
      if (place < ANSWERED) answer();
      else answers.push(answer);
    });
    const accountId = newId();
    const endpoint = await harness.addEndpoint(receiver.url, { accountId });
    await harness.record(ANSWERED, { accountId });
    node.nudge();
    await harness.attemptsOf(endpoint, ANSWERED);
    await harness.record(50, { accountId });
    node.nudge();
    await until(async () => answers.length === 10 && ((await leased()) ?? 0) > 10);
    const stopped = node.stop(10_000);
    await until(async () => (await leased()) === 10);
    assert.equal(answers.length, 10);
    for (const answer of answers) answer();
    await stopped;
    assert.equal((await harness.attempts(endpoint)).length, ANSWERED + 10);
    assert.equal(await harness.waiting(), 40);
    assert.equal(await leased(), 0);
  });

  it('pass over events that have expired, however many there are, and sweep away what leads nowhere', async () => {
    const receiver = await receive();
    const accountId = newId();
    const endpoint = await harness.addEndpoint(receiver.url, { accountId });
    await harness.database.query(
      `insert into delivery (account_id, endpoint_id, event_id, next_at)
       select $1, $2, gen_random_uuid(), now() - interval '1 day' from generate_series(1, 100)`,
      [accountId, endpoint.id],
    );
    await harness.record(1, { accountId });
    const node = harness.startNode();
    await harness.attemptsOf(endpoint, 1);
    assert.equal(await harness.waiting(), 0);
    await node.stop(10_000);
    await harness.record(2, { accountId });
    await harness.database.query(
      `insert into delivery (account_id, endpoint_id, event_id) select $1, gen_random_uuid(), id from event where account_id = $1`,
      [accountId],
    );
    assert.equal(await tidyDeliveries(harness.database), 3);
    assert.equal(await tidyDeliveries(harness.database), 0);
    assert.equal(await harness.waiting(), 2);
  });

  it('break off what is still under way when the stop has taken its time, and give it back', async () => {
    const node = harness.startNode();
    const receiver = await receive(() => undefined);
    const accountId = newId();
    const endpoint = await harness.addEndpoint(receiver.url, { accountId });
    await harness.record(1, { accountId });
    node.nudge();
    await until(() => receiver.received.length === 1);
    await node.stop(50);
    assert.equal(await harness.waiting(), 1);
    assert.equal(await leased(), 0);
    assert.equal((await harness.attempts(endpoint)).length, 0);
  });
});
