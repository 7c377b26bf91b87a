import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/until.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';
import { type EndpointApi, startEndpointApi } from './api.ts';
import { type Harness, startHarness } from './harness.ts';

const PATH = '/api/v1/endpoints';

let harness: Harness;
let api: EndpointApi;
before(async () => {
  harness = await startHarness();
  api = await startEndpointApi(harness);
});
after(async () => {
  await api.stop();
  await harness.stop();
});

/** An endpoint that is off, so that its deliveries stay. `replay` is held up in its first step until `meanwhile` is over. */
async function createReplay(body: object = {}) {
  const { key, principal } = api.key();
  const created = await api.call(key, 'POST', PATH, { body: { url: 'https://example.com/hook', ...body } });
  const path = `${PATH}/${created.json.id}`;
  await api.call(key, 'PATCH', path, { body: { enabled: false } });
  const record = (count: number) => harness.record(count, { accountId: principal.accountId, type: 'message.sent' });
  const replay = (meanwhile: () => Promise<void>) =>
    harness.database.transaction(async (tx) => {
      await tx.query('lock table audit in exclusive mode');
      const answer = api.call(key, 'POST', `${path}/replay`, { body: { after_sequence: 0 } });
      await until(async () => (await countWaitingForLocks(harness.database)) > 0);
      await meanwhile();
      return { answer };
    });
  const deleteRow = async () => {
    await harness.database.query('delete from endpoint where account_id = $1', [principal.accountId]);
  };
  return { record, deleteRow, replay: async (meanwhile = async () => {}) => (await replay(meanwhile)).answer };
}

describe('a replay after a number', () => {
  it('ends with what was recorded before it: what comes meanwhile is on its way already', async () => {
    for (const types of [undefined, ['message.sent']]) {
      const { record, replay } = await createReplay({ types });
      await record(2);
      const answer = await replay(() => record(3));
      assert.deepEqual([answer.status, answer.json], [202, { count: 2 }]);
    }
  });

  it('ends where its endpoint is deleted meanwhile', async () => {
    const { record, replay, deleteRow } = await createReplay();
    await record(2);
    const answer = await replay(deleteRow);
    assert.deepEqual([answer.status, answer.json.code], [404, 'not_found']);
  });

  it('keeps no stop waiting, however much there is: it ends after a step, and is to be made again', async () => {
    const { record, replay } = await createReplay();
    await record(1_001);
    const stopped = await replay(async () => api.drain());
    assert.deepEqual([stopped.status, stopped.json.code], [503, 'unavailable']);
    assert.equal(stopped.headers.get('retry-after'), '5');
  });
});
