import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { tidyDeliveries } from '../../src/endpoints/deliver/delivery-store.ts';
import { EVENT_TYPES } from '../../src/events/event.ts';
import { formatId } from '../../src/kernel/ids.ts';
import { meetLock } from '../support/meet-lock.ts';
import { until } from '../support/until.ts';
import { type EndpointApi, startEndpointApi } from './api.ts';
import { type Harness, startHarness } from './harness.ts';

const PATH = '/api/v1/endpoints';
const MEMBERS = ['id', 'url', 'types', 'description', 'enabled', 'disabled_reason', 'created_at', 'updated_at'];

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
const create = async (key: string, body: object = {}) => {
  const answer = await api.call(key, 'POST', PATH, { body: { url: 'https://example.com/hook', ...body } });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
};
const uuidOf = (id: string, accountId: string) =>
  harness.database
    .query<{ id: string }>('select id from endpoint where account_id = $1', [accountId])
    .then((rows) => rows.map((row) => row.id).find((uuid) => formatId('end', uuid) === id) ?? '');

describe('an endpoint', () => {
  it('is created with a secret that no other answer shows', async () => {
    const { key } = api.key();
    const answer = await api.call(key, 'POST', PATH, { body: { url: 'https://example.com/hook' } });
    assert.equal(answer.status, 201);
    assert.deepEqual(Object.keys(answer.json), [...MEMBERS, 'secret']);
    const { id, secret, ...rest } = answer.json;
    assert.match(id, /^end_[0-9a-z]{26}$/);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(answer.headers.get('location'), `https://gateway.test${PATH}/${id}`);
    assert.deepEqual([rest.types, rest.description, rest.enabled, rest.disabled_reason], [null, null, true, null]);
    const one = await api.call(key, 'GET', `${PATH}/${id}`);
    assert.deepEqual(one.json, { id, ...rest });
    const list = await api.call(key, 'GET', PATH);
    assert.deepEqual(list.json, { data: [{ id, ...rest }], next_cursor: null });
  });

  it('is stored without its secret in plain', async () => {
    const { key, principal } = api.key();
    const { secret } = await create(key);
    const [row] = await harness.database.query<{ secret_sealed: Buffer }>(
      'select secret_sealed from endpoint where account_id = $1',
      [principal.accountId],
    );
    assert.ok(row && !row.secret_sealed.includes(secret.slice(6, 20)));
    const audit = await harness.database.query('select * from audit where account_id = $1', [principal.accountId]);
    assert.doesNotMatch(JSON.stringify(audit), /whsec_|example\.com/);
  });

  it('has every fault of its making told at once', async () => {
    const { key } = api.key();
    const body = {
      url: 7,
      types: ['message.sent', 'message.sending'],
      description: 'x'.repeat(501),
      secret: 'whsec_x',
    };
    const answer = await api.call(key, 'POST', PATH, { body });
    assert.equal(answer.status, 422);
    const pointers = answer.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort();
    assert.deepEqual(pointers, ['#/description', '#/secret', '#/types/1', '#/url']);
  });

  it('is not made with types that are none, twice the same or not known', async () => {
    const { key } = api.key();
    for (const types of [[], ['message.sent', 'message.sent'], ['endpoint.test'], ['*'], 'message.sent'])
      assert.equal((await api.call(key, 'POST', PATH, { body: { url: 'https://example.com/', types } })).status, 422);
    assert.deepEqual((await create(key, { types: [...EVENT_TYPES] })).types, [...EVENT_TYPES]);
  });

  it('is refused at creation where its URL cannot be right, with a pointer to it', async () => {
    const { key } = api.key();
    for (const url of [
      'ftp://example.com/',
      'https://u:p@example.com/',
      'https://10.0.0.1/',
      'https://example.com:5432/',
    ]) {
      const answer = await api.call(key, 'POST', PATH, { body: { url } });
      assert.equal(answer.status, 422, url);
      assert.equal(answer.json.code, 'invalid_request');
      assert.equal(answer.json.errors[0].pointer, '#/url');
    }
  });

  it('of a live key may not lead to this machine, whatever the settings', async () => {
    const { key } = api.key({ mode: 'live' });
    for (const url of ['http://127.0.0.1:9000/', 'https://localhost/', 'http://example.com/'])
      assert.equal((await api.call(key, 'POST', PATH, { body: { url } })).status, 422);
    const strict = await startEndpointApi(harness, false);
    const { key: testKey } = strict.key();
    const answer = await strict.call(testKey, 'POST', PATH, { body: { url: 'http://127.0.0.1:9000/' } });
    await strict.stop();
    assert.equal(answer.status, 422);
  });

  it('is one of at most 50 of a mode, also when they are created at once', async () => {
    const { key, principal } = api.key();
    const body = { url: 'https://example.com/' };
    async function createOne() {
      for (;;) {
        const answer = await api.call(key, 'POST', PATH, { body });
        // On a slow machine one may wait too long for those before it, and comes again.
        if (answer.status !== 503) return answer;
      }
    }
    const answers = await Promise.all(Array.from({ length: 60 }, createOne));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 50);
    const refused = answers.filter(({ status }) => status === 422);
    assert.equal(refused.length, 10);
    for (const { json } of refused)
      assert.deepEqual(json.errors, [{ pointer: '#', detail: 'An account has at most 50 endpoints a mode.' }]);
    const live = api.key({ accountId: principal.accountId, mode: 'live' }).key;
    assert.equal((await api.call(live, 'POST', PATH, { body })).status, 201);
  });

  it('keeps both of two changes of the same moment', async () => {
    const { key, principal } = api.key();
    const { id } = await create(key);
    const patch = (body: object) => api.call(key, 'PATCH', `${PATH}/${id}`, { body });
    const changed = await meetLock(harness.database, {
      hold: (tx) => tx.query('select 1 from endpoint where account_id = $1 for update', [principal.accountId]),
      work: () => Promise.all([patch({ description: 'Shop' }), patch({ types: ['message.read'] })]),
      waiting: 2,
    });
    assert.deepEqual(
      changed.map(({ status }) => status),
      [200, 200],
    );
    const { description, types } = (await api.call(key, 'GET', `${PATH}/${id}`)).json;
    assert.deepEqual([description, types], ['Shop', ['message.read']]);
  });

  it('is seen by its own account and mode only', async () => {
    const { key, principal } = api.key();
    const { id } = await create(key);
    const others = [api.key().key, api.key({ accountId: principal.accountId, mode: 'live' }).key];
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { enabled: false }],
      ['DELETE', ''],
      ['POST', '/rotate-secret', {}],
      ['POST', '/test', {}],
      ['GET', '/attempts'],
      ['POST', '/replay', { after_sequence: 0 }],
      ['POST', '/check-signature', { headers: {}, body: '' }],
    ];
    for (const other of others)
      for (const [method, path, body] of calls) {
        const answer = await api.call(other, method, `${PATH}/${id}${path}`, body === undefined ? {} : { body });
        assert.equal(answer.json.code, 'not_found', `${method} ${path}`);
      }
    for (const malformed of ['end_', id.toUpperCase(), id.replace('end_', 'evt_'), 'x'])
      assert.equal((await api.call(key, 'GET', `${PATH}/${malformed}`)).status, 404);
  });

  it('needs the scope endpoints:manage', async () => {
    const { key } = api.key({ scopes: ['events:read'] });
    assert.equal((await api.call(key, 'GET', PATH)).json.code, 'insufficient_scope');
  });

  it('is listed by pages, newest first', async () => {
    const { key } = api.key();
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await create(key)).id);
    const first = await api.call(key, 'GET', `${PATH}?limit=2`);
    const second = await api.call(key, 'GET', `${PATH}?limit=2&cursor=${first.json.next_cursor}`);
    const listed = [...first.json.data, ...second.json.data].map(({ id }: { id: string }) => id);
    assert.deepEqual(listed, ids);
    assert.equal(second.json.next_cursor, null);
  });

  it('is changed member by member: what is absent stays, null clears', async () => {
    const { key } = api.key();
    const { id } = await create(key, { types: ['message.read'], description: 'Ours' });
    const patch = async (body: object) => (await api.call(key, 'PATCH', `${PATH}/${id}`, { body })).json;
    assert.deepEqual((await patch({ description: null })).types, ['message.read']);
    const changed = await patch({ types: null, url: 'https://example.org/' });
    assert.deepEqual([changed.types, changed.description, changed.url], [null, null, 'https://example.org/']);
    const off = await patch({ enabled: false });
    assert.deepEqual([off.enabled, off.disabled_reason], [false, 'requested']);
    const on = await patch({ enabled: true });
    assert.deepEqual([on.enabled, on.disabled_reason], [true, null]);
    for (const nothing of [{}, { types: null, enabled: true, url: 'https://example.org/' }])
      assert.deepEqual(await patch(nothing), on, 'it has not changed');
    for (const body of [{ url: null }, { enabled: null }, { id: 'x' }, { url: 'http://10.0.0.1/' }, { types: ['x'] }])
      assert.equal((await api.call(key, 'PATCH', `${PATH}/${id}`, { body })).status, 422, JSON.stringify(body));
  });

  it('has another five days when it is turned on again or leads elsewhere', async () => {
    const { key, principal } = api.key();
    const { id } = await create(key);
    const uuid = await uuidOf(id, principal.accountId);
    const failingSince = async () =>
      (
        await harness.database.query<{ failing_since: Date | null }>(
          'select failing_since from endpoint where id = $1',
          [uuid],
        )
      )[0]?.failing_since;
    for (const bodies of [[{ enabled: false }, { enabled: true }], [{ url: 'https://example.net/' }]]) {
      await harness.database.query("update endpoint set failing_since = now() - interval '6 days' where id = $1", [
        uuid,
      ]);
      await api.call(key, 'PATCH', `${PATH}/${id}`, { body: { description: 'Same' } });
      assert.ok(await failingSince());
      for (const body of bodies) await api.call(key, 'PATCH', `${PATH}/${id}`, { body });
      assert.equal(await failingSince(), null);
    }
  });

  it('is deleted with all that is on its way to it', async () => {
    const { key, principal } = api.key();
    const { id } = await create(key, { url: 'https://nowhere.invalid/' });
    const uuid = await uuidOf(id, principal.accountId);
    await harness.record(3, { accountId: principal.accountId });
    const answer = await api.call(key, 'DELETE', `${PATH}/${id}`);
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.equal((await api.call(key, 'GET', `${PATH}/${id}`)).status, 404);
    assert.equal((await api.call(key, 'DELETE', `${PATH}/${id}`)).status, 404);
    // A delivery whose attempt is being recorded at this moment is left to a later sweep.
    await until(async () => {
      await tidyDeliveries(harness.database);
      return (await harness.database.query('select 1 from delivery where endpoint_id = $1', [uuid])).length === 0;
    });
  });

  it('is deleted in one short statement however much is on its way to it, and a sweep takes the rest', async () => {
    const { key, principal } = api.key();
    const other = await create(key, { url: 'https://elsewhere.invalid/' });
    const { id } = await create(key, { url: 'https://nowhere.invalid/' });
    const [uuid, otherUuid] = [await uuidOf(id, principal.accountId), await uuidOf(other.id, principal.accountId)];
    await harness.database.query(
      `insert into delivery (account_id, endpoint_id, event_id, next_at)
       select $1, unnest($2::uuid[]), gen_random_uuid(), now() + interval '1 day' from generate_series(1, 10003)`,
      [principal.accountId, [uuid, otherUuid]],
    );
    const left = async (of = uuid) =>
      (await harness.database.query('select 1 from delivery where endpoint_id = $1', [of])).length;
    assert.equal((await api.call(key, 'DELETE', `${PATH}/${id}`)).status, 204);
    // A claim may hold some rows at this moment, which are then left too.
    const rest = await left();
    assert.ok(rest >= 3 && rest < 20, `${rest} are left`);
    await until(async () => {
      await tidyDeliveries(harness.database);
      return (await left()) === 0;
    });
    assert.equal(await left(otherUuid), 10_003, 'what is on its way to another one goes on');
  });

  it('has every change of it in the audit log, with the key that made it', async () => {
    const { key, principal } = api.key();
    const { id } = await create(key);
    await api.call(key, 'PATCH', `${PATH}/${id}`, { body: { enabled: false } });
    await api.call(key, 'POST', `${PATH}/${id}/rotate-secret`);
    await api.call(key, 'POST', `${PATH}/${id}/replay`, { body: { after_sequence: 0 } });
    await api.call(key, 'DELETE', `${PATH}/${id}`);
    const rows = await harness.database.query<{ actor: string; action: string; target: string }>(
      'select actor, action, target from audit where account_id = $1 order by id',
      [principal.accountId],
    );
    const actions = ['created', 'changed', 'secret_rotated', 'replayed', 'deleted'];
    assert.deepEqual(
      rows,
      actions.map((action) => ({ actor: formatId('key', principal.keyId), action: `endpoint.${action}`, target: id })),
    );
  });
});
