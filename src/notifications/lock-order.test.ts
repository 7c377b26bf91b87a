import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { meetLock } from '../../test/support/meet-lock.ts';
import {
  addChannel,
  changeBody,
  isProcessed,
  lineOf,
  packTogether,
  type TestLine,
} from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';
import { parseId } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';
import { noteNews } from './news-store.ts';

let gateway: TestGateway;
let line: TestLine;
before(async () => {
  gateway = await startTestGateway();
  line = await lineOf(gateway);
});
after(() => gateway.stop());

/** Applies what is told in one round, while somebody else has the first lock, and takes the second one when the round waits. */
function applyWhileLocked(locks: readonly [sql: string, value: unknown][], told: readonly unknown[]): Promise<void> {
  const [first, second] = locks.map(
    ([sql, value]) =>
      (tx: Queryable) =>
        tx.query(sql, [gateway.accountId, value]),
  );
  assert.ok(first !== undefined && second !== undefined);
  return meetLock(gateway.database, {
    hold: first,
    work: async () => {
      await packTogether(gateway, told);
      await until(() => isProcessed(gateway));
    },
    meanwhile: second,
  });
}

// What is told comes to two nodes in different orders. If they locked in these orders, they would wait in a circle.
describe('news that one round applies', () => {
  it('of the second of two numbers, and then of the first, locks the first one first', async () => {
    const other = { ...line, phoneNumberId: '900000000000051', phoneNumber: '+447700900951' };
    const [{ id }] = (await gateway.call('GET', '/api/v1/channels')).json.data;
    const otherId = await addChannel(gateway, { ...other, accountId: gateway.accountId, mode: 'test' });
    const told = [other, line].map(({ phoneNumber }) =>
      changeBody(line, 'phone_number_quality_update', {
        display_phone_number: phoneNumber.slice(1),
        event: 'UPGRADE',
        current_limit: 'TIER_10K',
      }),
    );
    const lock = 'select 1 from channel where account_id = $1 and id = $2 for no key update nowait';
    await applyWhileLocked(
      [
        [lock, parseId('chn', id)],
        [lock, otherId],
      ],
      told,
    );
    const { data } = (await gateway.call('GET', '/api/v1/channels')).json;
    assert.deepEqual(
      data.map((channel: { messaging_limit: string }) => channel.messaging_limit),
      ['tier_10k', 'tier_10k'],
    );
  });

  it('of a template waits for a reading of its business account before it locks the template', async () => {
    assert.equal((await gateway.call('POST', '/api/v1/templates/sync')).status, 200);
    const name = 'hello_world';
    const told = changeBody(line, 'message_template_status_update', {
      event: 'PAUSED',
      message_template_id: 1,
      message_template_name: name,
      message_template_language: 'en_US',
    });
    const reading = 'select 1 from template_sync where account_id = $1 and business_account_id = $2 for update nowait';
    const template = 'select 1 from template where account_id = $1 and name = $2 for update nowait';
    await applyWhileLocked(
      [
        [reading, line.businessAccountId],
        [template, name],
      ],
      [told],
    );
    const { data } = (await gateway.call('GET', `/api/v1/templates?name=${name}`)).json;
    assert.equal(data[0].status, 'paused');
  });

  it('is noted in one order', async () => {
    const [first, second] = ['a'.repeat(64), 'b'.repeat(64)];
    const noted = await meetLock(gateway.database, {
      hold: (tx) => noteNews(tx, [first]),
      work: () => noteNews(gateway.database, [second, first]),
      meanwhile: (tx) => noteNews(tx, [second]),
    });
    assert.deepEqual(noted, new Set());
  });
});
