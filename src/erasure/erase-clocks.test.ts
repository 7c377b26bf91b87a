import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endErasures, erase, SETTLED_MS } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { until } from '../../test/support/until.ts';
import { eraseRound } from './erase-round.ts';

const HOUR_MS = 3_600_000;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

async function sendTo(to: string): Promise<void> {
  const { json } = await gateway.call('POST', '/api/v1/messages/send', {
    body: { to, type: 'text', text: { body: 'Dear Countess' } },
  });
  assert.equal(json.accepted_count, 1);
}

const messagesTo = (to: string) => gateway.database.query('select 1 from message where phone = $1', [to]);

describe('erasing a person where the clocks of gateways are wrong', () => {
  for (const [what, byMs, ada] of [
    ['an hour ahead', HOUR_MS, '+447700900771'],
    ['an hour behind', -HOUR_MS, '+447700900772'],
  ] as const)
    it(`empties what a gateway has written whose clock is ${what}`, async ({ mock }) => {
      const now = Date.now;
      const clock = mock.method(Date, 'now', () => now() + byMs);
      await sendTo(ada);
      clock.mock.restore();
      await erase(gateway, ada);
      await endErasures(gateway.database);
      assert.deepEqual(await messagesTo(ada), []);
    });

  for (const [what, byMs, ada] of [
    ['an hour ahead', HOUR_MS, '+447700900773'],
    ['an hour behind', -HOUR_MS, '+447700900774'],
  ] as const)
    it(`takes its time from when it was asked for, where the clock of who was asked is ${what}`, async ({ mock }) => {
      await sendTo(ada);
      const now = Date.now;
      const clock = mock.method(Date, 'now', () => now() + byMs);
      await erase(gateway, ada);
      clock.mock.restore();
      const dueInMs = await until(async () => {
        await eraseRound(gateway.database, SETTLED_MS);
        const [row] = await gateway.database.query<{ ms: number }>(
          'select extract(epoch from due_at - now())::float8 * 1000 as ms from erasure',
        );
        assert.ok(row, 'it is not told to be over while what is under way may still be written');
        return row.ms > 1_000 && row.ms;
      });
      assert.ok(dueInMs > SETTLED_MS - 60_000 && dueInMs <= SETTLED_MS, `${dueInMs} ms`);
      assert.deepEqual(await messagesTo(ada), [], 'what was there is emptied at once');
      await endErasures(gateway.database);
    });
});
