import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { erase, letErasuresSettle, SETTLED_MS } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import type { Database } from '../store/database.ts';
import { eraseSome } from './erase-person.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

/** Two gateways go a stretch further: the second one begins while what the first one has done is not committed yet. */
async function eraseBeside(database: Database): Promise<void> {
  let second: Promise<boolean> | undefined;
  const beside: Database = {
    ...database,
    transaction: (work, limits) =>
      database.transaction(async (tx) => {
        const result = await work(tx);
        let ended = false;
        second = eraseSome(database, SETTLED_MS).finally(() => {
          ended = true;
        });
        await until(async () => ended || (await countWaitingForLocks(database)) === 1);
        return result;
      }, limits),
  };
  await eraseSome(beside, SETTLED_MS);
  await second;
}

describe('two persons of an account who are erased by two gateways at once', () => {
  it('leave nothing in a request in which nobody else is named', async () => {
    const { call, database } = gateway;
    const people = ['+447700900791', '+447700900792'];
    const body = { to: people, type: 'text', text: { body: 'Only for us' } };
    const { json } = await call('POST', '/api/v1/messages/send', { body });
    assert.equal(json.accepted_count, 2);
    for (const person of people) await erase(gateway, person);
    await until(async () => {
      await letErasuresSettle(database);
      await eraseBeside(database);
      return (await database.query('select 1 from erasure')).length === 0;
    });
    assert.deepEqual(await database.query('select content from request'), [{ content: null }]);
  });
});
