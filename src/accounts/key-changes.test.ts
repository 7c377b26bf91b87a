import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { meetLock } from '../../test/support/meet-lock.ts';
import { assertProblem, pointersOf } from '../../test/support/problem.ts';
import { restingTransaction } from '../../test/support/resting-transaction.ts';
import { until } from '../../test/support/until.ts';
import { parseId } from '../kernel/ids.ts';
import { createKeyUses } from './key-uses.ts';

const UNKNOWN = 'key_01h455vb4pex5vsknk084sn02q';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, path, { key: gateway.platformKey, ...(body !== undefined && { body }) });
const newKey = async (wish: object = {}) => {
  const body = { name: 'Backend', mode: 'test', ...wish };
  return (await call('POST', `/platform/v1/accounts/${gateway.accountId}/keys`, body)).json;
};
const statusWith = async (key: string) => (await gateway.call('GET', '/api/v1/account', { key })).status;
const listedKey = async (id: string) => {
  const { json } = await call('GET', `/platform/v1/accounts/${gateway.accountId}/keys?limit=100`);
  return json.data.find((key: { id: string }) => key.id === id);
};

describe('making a key', () => {
  it('takes an expiry in the future that an answer can tell, however it is written', async () => {
    const path = `/platform/v1/accounts/${gateway.accountId}/keys`;
    const make = (expires_at: string) => call('POST', path, { name: 'Backend', mode: 'test', expires_at });
    for (const wrong of ['9999-12-31T23:59:59-23:59', '9999-12-31T20:00:00-04:00', '2020-01-01T00:00:00Z'])
      assert.deepEqual(pointersOf(await make(wrong)), ['#/expires_at'], wrong);
    const [fault] = (await make('2030-06-30T23:59:60Z')).json.errors;
    assert.equal(fault.detail, 'This must have a second from 0 to 59.', 'no time of the past');
    assert.equal((await make('9999-12-31T19:59:59-04:00')).json.expires_at, '9999-12-31T23:59:59.000Z');
  });
});

describe('the list of keys', () => {
  it('has every key once, newest first, page by page', async () => {
    const path = `/platform/v1/accounts/${await gateway.createAccount('Three keys')}/keys`;
    const made: string[] = [];
    for (const name of ['One', 'Two', 'Three'])
      made.unshift((await call('POST', path, { name, mode: 'test' })).json.id);
    const page = async (query: string) => {
      const { data, next_cursor: cursor } = (await call('GET', `${path}?limit=2${query}`)).json;
      return { ids: data.map(({ id }: { id: string }) => id), cursor };
    };
    const first = await page('');
    assert.deepEqual(first.ids, made.slice(0, 2));
    assert.deepEqual(await page(`&cursor=${first.cursor}`), { ids: made.slice(2), cursor: null });
  });
});

describe('revoking a key', () => {
  it('answers without a body, and the key is refused at once by this gateway', async () => {
    const { id, key } = await newKey();
    assert.equal(await statusWith(key), 200);
    const answer = await call('DELETE', `/platform/v1/keys/${id}`);
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.equal(await statusWith(key), 401);
    assert.equal(await listedKey(id), undefined);
  });

  it('is done once, and for keys that exist', async () => {
    const { id } = await newKey();
    assert.equal((await call('DELETE', `/platform/v1/keys/${id}`)).status, 204);
    for (const wrong of [id, UNKNOWN, 'key_', id.toUpperCase(), gateway.accountId])
      assertProblem(await call('DELETE', `/platform/v1/keys/${wrong}`), 'not_found');
  });
});

describe('rolling a key', () => {
  it('makes a new one with the same name, mode and scopes, and both work during the overlap', async () => {
    const expires_at = '2999-01-01T00:00:00.000Z';
    const old = await newKey({ scopes: ['messages:read'], expires_at });
    const { status, json, headers } = await call('POST', `/platform/v1/keys/${old.id}/roll`, { overlap_seconds: 60 });
    assert.equal(status, 201);
    assert.ok(headers.has('location'));
    assert.notEqual(json.id, old.id);
    assert.match(json.key, /^wp_test_[0-9A-Za-z]{36}$/);
    assert.deepEqual(
      [json.name, json.mode, json.scopes, json.expires_at],
      ['Backend', 'test', ['messages:read'], expires_at],
    );
    assert.deepEqual([await statusWith(old.key), await statusWith(json.key)], [200, 200]);
    const { expires_at: endsAt, rolled_at: rolledAt } = await listedKey(old.id);
    const leftMs = Date.parse(endsAt) - Date.now();
    assert.ok(leftMs > 50_000 && leftMs <= 61_000, `${leftMs} ms`);
    assert.equal(Date.parse(endsAt) - Date.parse(rolledAt), 60_000);
    assert.equal((await listedKey(json.id)).rolled_at, null);
  });

  it('leaves the other keys of the account as they are', async () => {
    const [old, other] = [await newKey(), await newKey()];
    assert.equal((await call('POST', `/platform/v1/keys/${old.id}/roll`, { overlap_seconds: 0 })).status, 201);
    assert.equal((await listedKey(other.id)).expires_at, null);
    assert.equal((await call('POST', `/platform/v1/keys/${other.id}/roll`)).status, 201);
  });

  it('without an overlap ends the old one at once at this gateway, and by default leaves it a day', async () => {
    const old = await newKey();
    assert.equal(await statusWith(old.key), 200);
    assert.equal((await call('POST', `/platform/v1/keys/${old.id}/roll`, { overlap_seconds: 0 })).status, 201);
    assert.equal(await statusWith(old.key), 401);
    const other = await newKey();
    assert.equal((await call('POST', `/platform/v1/keys/${other.id}/roll`)).status, 201);
    assert.ok(Date.parse((await listedKey(other.id)).expires_at) > Date.now() + 86_000_000);
  });

  it('never lets the old one live longer than it would have', async () => {
    const expires_at = new Date(Date.now() + 30_000).toISOString();
    const old = await newKey({ expires_at });
    await call('POST', `/platform/v1/keys/${old.id}/roll`, { overlap_seconds: 600 });
    assert.equal((await listedKey(old.id)).expires_at, expires_at);
  });

  it('is done once, also by two at the same moment', async () => {
    const { id } = await newKey();
    const roll = async () => (await call('POST', `/platform/v1/keys/${id}/roll`)).status;
    const statuses = await meetLock(gateway.database, {
      hold: (tx) => tx.query('update api_key set name = name where name = $1', ['Backend']),
      work: () => Promise.all([roll(), roll()]),
      waiting: 2,
    });
    assert.deepEqual(statuses.sort(), [201, 404]);
  });

  it('is for valid keys that were not rolled before, with an overlap of at most a week', async () => {
    const { id } = await newKey();
    for (const overlap_seconds of [-1, 1.5, 604_801, '60', null])
      assert.deepEqual(
        [...new Set(pointersOf(await call('POST', `/platform/v1/keys/${id}/roll`, { overlap_seconds })))],
        ['#/overlap_seconds'],
      );
    assert.equal((await call('POST', `/platform/v1/keys/${id}/roll`, { overlap_seconds: 60 })).status, 201);
    const revoked = await newKey();
    await call('DELETE', `/platform/v1/keys/${revoked.id}`);
    const expired = await newKey({ name: 'Expired' });
    await gateway.database.query("update api_key set expires_at = now() where name = 'Expired'");
    for (const wrong of [id, revoked.id, expired.id, UNKNOWN]) {
      const answer = await call('POST', `/platform/v1/keys/${wrong}/roll`);
      assertProblem(answer, 'not_found');
      assert.match(answer.json.detail, /Create a new key to replace one that has expired/);
    }
  });
});

describe('the last use of a key', () => {
  it('is told, and written once a minute at most', async () => {
    const { id, key } = await newKey();
    assert.equal((await listedKey(id)).last_used_at, null);
    await statusWith(key);
    await until(async () => (await listedKey(id)).last_used_at);
    const [row] = await gateway.database.query<{ id: string; account_id: string }>(
      'select id, account_id from api_key order by id desc limit 1',
    );
    assert.ok(row);
    const uses = createKeyUses(gateway.database);
    const useAfter = async (seconds: number) => {
      await gateway.database.query(
        "update api_key set last_used_at = now() - $2 * interval '1 second' where account_id = $1 and id = $3",
        [row.account_id, seconds, row.id],
      );
      const before = Date.parse((await listedKey(id)).last_used_at);
      uses.note(row.account_id, row.id);
      await uses.flush();
      return Date.parse((await listedKey(id)).last_used_at) - before;
    };
    assert.equal(await useAfter(50), 0);
    assert.ok((await useAfter(70)) >= 70_000);
    assert.ok((await useAfter(-86_400)) < 0, 'of a time that a clock that was ahead has left');
  });

  it('is left to another node that writes the key in this moment, and told of the other keys that were used', async () => {
    const { database, accountId } = gateway;
    const [busy, free, unused] = [await newKey(), await newKey(), await newKey()];
    const uses = createKeyUses(database);
    for (const { id } of [busy, free]) uses.note(accountId, parseId('key', id) ?? '');
    await restingTransaction(database, async (tx) => {
      await tx.query('select 1 from api_key where id = $1 for update', [parseId('key', busy.id)]);
      await uses.flush();
    });
    for (const { id } of [busy, unused]) assert.equal((await listedKey(id)).last_used_at, null);
    assert.notEqual((await listedKey(free.id)).last_used_at, null);
  });
});
