import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { assertProblem, pointersOf } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, path, { key: gateway.platformKey, ...(body !== undefined && { body }) });
const auditOf = async (accountId: string) =>
  (await call('GET', `/platform/v1/audit?account_id=${accountId}&limit=100`)).json.data;

describe('changing an account', () => {
  it('renames it without an event, and an empty change changes nothing', async () => {
    const id = await gateway.createAccount('Before');
    const { status, json } = await call('PATCH', `/platform/v1/accounts/${id}`, { name: 'After' });
    assert.deepEqual([status, json.name, json.suspended], [200, 'After', false]);
    assert.deepEqual((await call('PATCH', `/platform/v1/accounts/${id}`, {})).json, json);
    assert.deepEqual((await call('GET', `/platform/v1/accounts/${id}`)).json, json);
    const [entry] = await auditOf(id);
    assert.deepEqual(
      [entry.actor, entry.action, entry.target, entry.account_id, entry.detail],
      ['platform', 'account.updated', id, id, { name: 'After' }],
    );
    assert.match(entry.id, /^aud_/);
    const key = await gateway.createKey({ accountId: id });
    assert.equal((await gateway.call('GET', '/api/v1/events', { key })).json.latest_sequence, 0);
  });

  it('keeps what another change of the same moment has made', async () => {
    const id = await gateway.createAccount('Before');
    const suspending = await gateway.database.transaction(async (tx) => {
      await tx.query('update account set name = $2 where id = $1', [id, 'After']);
      const answer = call('PATCH', `/platform/v1/accounts/${id}`, { suspended: true });
      await until(async () => (await countWaitingForLocks(gateway.database)) > 0);
      return { answer };
    });
    const { json } = await suspending.answer;
    assert.deepEqual([json.name, json.suspended], ['After', true]);
  });

  it('suspends it at once for everything but reading, and resumes it, with an event in both modes', async () => {
    const id = await gateway.createAccount('Suspended');
    const keys = { test: await gateway.createKey({ accountId: id }), live: '' };
    keys.live = await gateway.createKey({ accountId: id, mode: 'live' });
    const validate = () => gateway.call('POST', '/api/v1/messages/validate', { key: keys.test, body: {} });
    assertProblem(await validate(), 'invalid_request');
    const answer = await call('PATCH', `/platform/v1/accounts/${id}`, { suspended: true });
    assert.equal(answer.json.suspended, true);
    assertProblem(await validate(), 'account_suspended');
    assert.equal((await call('PATCH', `/platform/v1/accounts/${id}`, { suspended: true })).status, 200);
    await call('PATCH', `/platform/v1/accounts/${id}`, { suspended: false });
    assertProblem(await validate(), 'invalid_request');
    for (const key of [keys.test, keys.live]) {
      const { json } = await gateway.call('GET', '/api/v1/events', { key });
      assert.deepEqual(
        json.data.map(({ type, data }: { type: string; data: { account: { suspended: boolean } } }) => [
          type,
          data.account.suspended,
        ]),
        [
          ['account.updated', true],
          ['account.updated', false],
        ],
      );
      assert.deepEqual(json.data[0].data.account, answer.json);
    }
  });

  it('names every fault, and finds accounts that exist only', async () => {
    const path = `/platform/v1/accounts/${gateway.accountId}`;
    const faults = pointersOf(await call('PATCH', path, { name: '', suspended: 'yes', more: 1 }));
    assert.deepEqual([...new Set(faults)], ['#/more', '#/name', '#/suspended']);
    assert.deepEqual([...new Set(pointersOf(await call('PATCH', path, { name: null })))], ['#/name']);
    for (const id of ['01890a5d-ac96-774b-bcce-b302099a8057', 'x'])
      assertProblem(await call('PATCH', `/platform/v1/accounts/${id}`, { name: 'a' }), 'not_found');
  });
});

describe('the audit log', () => {
  it('lists the newest first, page by page, of all accounts or of one', async () => {
    const id = await gateway.createAccount('Audited');
    for (const name of ['one', 'two', 'three']) await call('PATCH', `/platform/v1/accounts/${id}`, { name });
    const names = (entries: { detail: { name: string } }[]) => entries.map(({ detail }) => detail.name);
    assert.deepEqual(names(await auditOf(id)), ['three', 'two', 'one', 'Audited']);
    const first = (await call('GET', '/platform/v1/audit?limit=2')).json;
    assert.deepEqual(names(first.data), ['three', 'two']);
    const second = (await call('GET', `/platform/v1/audit?limit=1&cursor=${first.next_cursor}`)).json;
    assert.deepEqual(names(second.data), ['one']);
    const path = `/platform/v1/audit?account_id=${id}&limit=2`;
    const ofOne = (await call('GET', path)).json;
    assert.deepEqual(names((await call('GET', `${path}&cursor=${ofOne.next_cursor}`)).json.data), ['one', 'Audited']);
    const unknown = await call('GET', '/platform/v1/audit?account_id=01890a5d-ac96-774b-bcce-b302099a8057');
    assert.deepEqual(unknown.json, { data: [], next_cursor: null });
  });

  it('names keys and channels by the ids that callers know', async () => {
    const id = await gateway.createAccount('With a key');
    const key = (await call('POST', `/platform/v1/accounts/${id}/keys`, { name: 'One', mode: 'test' })).json;
    const rolled = (await call('POST', `/platform/v1/keys/${key.id}/roll`, {})).json;
    await call('DELETE', `/platform/v1/keys/${rolled.id}`);
    const entries = (await auditOf(id)).slice(0, 3);
    assert.deepEqual(
      entries.map(({ action, target }: { action: string; target: string }) => [action, target]),
      [
        ['key.revoked', rolled.id],
        ['key.rolled', key.id],
        ['key.created', key.id],
      ],
    );
    assert.equal(entries[1].detail.successor, rolled.id);
    assert.ok(!JSON.stringify(entries).includes(key.key) && !JSON.stringify(entries).includes(rolled.key));
  });

  it('takes the id of an account only, and other names in the query not at all', async () => {
    for (const query of ['account_id=x', 'account=1', 'limit=0', 'cursor=%00'])
      assertProblem(await call('GET', `/platform/v1/audit?${query}`), 'invalid_request');
    assertProblem(await gateway.call('GET', '/platform/v1/audit'), 'insufficient_scope');
  });
});
