import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  asSandbox,
  isProcessed,
  lineOf,
  messagesBody,
  postSigned,
  statusOf,
  textFrom,
} from '../support/notifications.ts';
import { restingTransaction } from '../support/resting-transaction.ts';
import { until } from '../support/until.ts';

/** Enough for some four rounds of applying. */
const FLOOD = 2_000;
const POSTERS = 32;
/** A number is busy if its notifications have many bytes: this one makes it so before any other of the flood comes. */
const LARGE = 'x'.repeat(300_000);
/** Makes four rounds of the flood, because a round is bounded by bytes too. */
const SMALL = 'x'.repeat(500);

describe('a flood of notifications for one number', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  });
  after(() => gateway.stop());

  it('holds up what comes for another number by two rounds at most', async (test) => {
    const line = await lineOf(gateway);
    const flooded = { ...line, phoneNumberId: '900000000000999' };
    const released = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    // While this lock is held nothing can be claimed, so all of the flood waits before the other notification comes.
    const holding = restingTransaction(gateway.database, async (tx) => {
      await tx.query('lock table notification in exclusive mode');
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    let next = 0;
    const postNext = async (filler: string) => {
      const statuses = [statusOf('sent', { providerId: `wamid.flood-${next++}`, filler })];
      const { status } = await postSigned(asSandbox(gateway), messagesBody(flooded, { statuses }));
      assert.equal(status, 200);
    };
    const post = async () => {
      while (next < FLOOD) await postNext(SMALL);
    };
    await postNext(LARGE);
    await Promise.all(Array.from({ length: POSTERS }, post));
    const messages = [textFrom('+447700900123', 'wamid.quiet')];
    await postSigned(asSandbox(gateway), messagesBody(line, { messages }));
    released.resolve();
    await holding;
    await until(() => isProcessed(gateway));

    // Each round is one transaction, and transactions are numbered in the order in which they begin.
    const [seen] = await gateway.database.query<{ flood: number; before: number; rounds: number }>(
      `with quiet as (select xmin::text::bigint as round from notification where state = 'applied')
       select count(*)::int as flood, count(*) filter (where n.xmin::text::bigint <= q.round)::int as before,
         count(distinct n.xmin::text) filter (where n.xmin::text::bigint < q.round)::int as rounds
       from notification n, quiet q where n.state <> 'applied'`,
    );
    assert.ok(seen !== undefined, 'the quiet number was told of');
    assert.equal(seen.flood, FLOOD);
    test.diagnostic(`${seen.before} of the flood were applied before it or with it`);
    // The round that the lock held up, and a round that takes the oldest.
    assert.ok(seen.rounds <= 2, `${seen.rounds} rounds went before it`);
    assert.ok(seen.before < FLOOD, 'the flood was not over by then');
  });
});
