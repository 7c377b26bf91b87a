import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { assertProblem, pointersOf } from '../../test/support/problem.ts';

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

async function auditOf(accountId: string) {
  return gateway.database.query<{ actor: string; action: string; target: string }>(
    'select actor, action, target from audit where account_id = $1 order by id',
    [accountId],
  );
}
