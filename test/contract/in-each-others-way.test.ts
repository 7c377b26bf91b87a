import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestAnswer, type TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/until.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';

describe('two that wait for each other in the database', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.stop());

  it('have one of them told to come again, and nothing was done for it', async () => {
    const { call, database } = gateway;
    const url = 'https://example.com/hook';
    const { json } = await call('POST', '/api/v1/endpoints', { body: { url } });
    let patched: Promise<TestAnswer> | undefined;
    await database.transaction(async (tx) => {
      // The server looks for deadlocks when somebody has waited this long. So the call finds the deadlock first.
      await tx.query("set local deadlock_timeout to '60s'");
      await tx.query('select 1 from event_sequence where account_id = $1 for update', [gateway.accountId]);
      patched = call('PATCH', `/api/v1/endpoints/${json.id}`, { body: { enabled: false } });
      await until(async () => (await countWaitingForLocks(database)) > 0);
      await tx.query('select 1 from endpoint where account_id = $1 for update', [gateway.accountId]);
    });
    const answer = await patched;
    assert.ok(answer);
    assertProblem(answer, 'unavailable');
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.equal((await call('GET', `/api/v1/endpoints/${json.id}`)).json.enabled, true);
  });
});
