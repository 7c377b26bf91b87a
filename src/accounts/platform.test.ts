import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { assertProblem, pointersOf } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';

const ACCOUNTS = '/platform/v1/accounts';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, path, { key: gateway.platformKey, ...(body !== undefined && { body }) });

describe('accounts of the platform', () => {
  it('are created with an address, a test channel and an audit entry', async () => {
    const { status, json, headers } = await call('POST', ACCOUNTS, { name: 'Ünïcödé & Sons' });
    assert.equal(status, 201);
    assert.match(json.id, UUID);
    assert.deepEqual(json, { id: json.id, name: 'Ünïcödé & Sons', suspended: false, created_at: json.created_at });
    const location = headers.get('location') ?? '';
    assert.equal(location, `${gateway.url}${ACCOUNTS}/${json.id}`);
    assert.deepEqual((await call('GET', location.slice(gateway.url.length))).json, json);
    const channels = (await call('GET', `${ACCOUNTS}/${json.id}/channels`)).json.data;
    assert.deepEqual(
      channels.map((channel: Record<string, unknown>) => [channel.mode, channel.default, channel.status]),
      [['test', true, 'connected']],
    );
    assert.deepEqual(await auditOf(json.id), [{ actor: 'platform', action: 'account.created', target: json.id }]);
  });

  it('have a name of 1 to 200 characters and nothing else', async () => {
    for (const name of ['a', 'é'.repeat(200)]) assert.equal((await call('POST', ACCOUNTS, { name })).status, 201);
    for (const name of ['', 'a'.repeat(201), 'e\u0301'.repeat(150), null, 5, 'a\u0000', '\ud800'])
      assert.deepEqual(new Set(pointersOf(await call('POST', ACCOUNTS, { name }))), new Set(['#/name']));
    assert.deepEqual(pointersOf(await call('POST', ACCOUNTS, { nom: 'a', 'b/c': 1 })), ['#/b~1c', '#/name', '#/nom']);
    assertProblem(await call('POST', ACCOUNTS, ''), 'malformed_json');
    assert.deepEqual(pointersOf(await call('POST', ACCOUNTS, '[]')), ['#']);
  });

  it('are listed newest first, page by page', async () => {
    for (const name of ['one', 'two', 'three']) await call('POST', ACCOUNTS, { name });
    const first = (await call('GET', `${ACCOUNTS}?limit=2`)).json;
    assert.deepEqual(
      first.data.map(({ name }: { name: string }) => name),
      ['three', 'two'],
    );
    const second = (await call('GET', `${ACCOUNTS}?limit=1&cursor=${first.next_cursor}`)).json;
    assert.equal(second.data[0].name, 'one');
  });

  it('that do not exist are not found', async () => {
    const unknown = ['01890a5d-ac96-774b-bcce-b302099a8057', gateway.accountId.toUpperCase(), 'x', '%00', "'"];
    for (const id of unknown) {
      assertProblem(await call('GET', `${ACCOUNTS}/${id}`), 'not_found');
      assertProblem(await call('GET', `${ACCOUNTS}/${id}/keys`), 'not_found');
      assertProblem(await call('GET', `${ACCOUNTS}/${id}/channels`), 'not_found');
      assertProblem(await call('POST', `${ACCOUNTS}/${id}/keys`, { name: 'a', mode: 'test' }), 'not_found');
    }
  });
});

describe('keys of an account', () => {
  it('are shown once, work, and are listed without themselves', async () => {
    const { id } = (await call('POST', ACCOUNTS, { name: 'With keys' })).json;
    const expires_at = '2999-01-01T00:00:00.000Z';
    const wish = { name: 'Production', mode: 'test', scopes: ['messages:read'], expires_at };
    const { status, json, headers } = await call('POST', `${ACCOUNTS}/${id}/keys`, wish);
    assert.equal(status, 201);
    const { key, ...shown } = json;
    assert.ok(headers.has('location'));
    assert.match(key, /^wp_test_[0-9A-Za-z]{36}$/);
    assert.deepEqual(shown, {
      id: shown.id,
      account_id: id,
      ...wish,
      rolled_at: null,
      last_used_at: null,
      created_at: shown.created_at,
    });
    assert.deepEqual((await gateway.call('GET', '/api/v1/account', { key })).json.key, {
      id: shown.id,
      name: 'Production',
      scopes: ['messages:read'],
      expires_at,
    });
    const list = await call('GET', `${ACCOUNTS}/${id}/keys`);
    assert.equal(list.json.data[0].id, shown.id);
    assert.ok(!list.text.includes(key));
    const stored = await gateway.database.query('select * from api_key where account_id = $1', [id]);
    const audited = await gateway.database.query('select * from audit where account_id = $1', [id]);
    assert.ok(!JSON.stringify([stored, audited]).includes(key), 'only its hash is kept');
    assert.ok((await auditOf(id)).some(({ action }) => action === 'key.created'));
  });

  it('may do everything without a list of scopes', async () => {
    const { json } = await call('POST', `${ACCOUNTS}/${gateway.accountId}/keys`, { name: 'All', mode: 'live' });
    assert.equal(json.scopes.length, 6);
    assert.equal(json.expires_at, null);
  });

  it('must be of a mode, with known scopes and a time to come', async () => {
    const faultsOf = async (body: object) =>
      pointersOf(await call('POST', `${ACCOUNTS}/${gateway.accountId}/keys`, body));
    assert.deepEqual(await faultsOf({}), ['#/mode', '#/name']);
    assert.deepEqual(await faultsOf({ name: 'a', mode: 'production' }), ['#/mode']);
    assert.ok((await faultsOf({ name: 'a', mode: 'test', scopes: ['messages:eat'] })).includes('#/scopes/0'));
    assert.deepEqual(await faultsOf({ name: 'a', mode: 'test', scopes: ['events:read', 'events:read'] }), ['#/scopes']);
    for (const expires_at of ['2020-01-01T00:00:00Z', 'tomorrow', 5, '2026-01-01'])
      assert.deepEqual([...new Set(await faultsOf({ name: 'a', mode: 'test', expires_at }))], ['#/expires_at']);
  });
});

const auditShown = async (accountId: string) =>
  (await call('GET', `/platform/v1/audit?account_id=${accountId}&limit=100`)).json.data;

describe('changing an account', () => {
  it('renames it without an event, and an empty change changes nothing', async () => {
    const id = await gateway.createAccount('Before');
    const { status, json } = await call('PATCH', `/platform/v1/accounts/${id}`, { name: 'After' });
    assert.deepEqual([status, json.name, json.suspended], [200, 'After', false]);
    assert.deepEqual((await call('PATCH', `/platform/v1/accounts/${id}`, {})).json, json);
    assert.deepEqual((await call('GET', `/platform/v1/accounts/${id}`)).json, json);
    const [entry] = await auditShown(id);
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
    assert.deepEqual(names(await auditShown(id)), ['three', 'two', 'one', 'Audited']);
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
    const entries = (await auditShown(id)).slice(0, 3);
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

async function auditOf(accountId: string) {
  return gateway.database.query<{ actor: string; action: string; target: string }>(
    'select actor, action, target from audit where account_id = $1 order by id',
    [accountId],
  );
}
