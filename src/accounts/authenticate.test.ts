import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { callRaw } from '../../test/support/raw-http.ts';
import { transmitsOf } from '../../test/support/transmits.ts';
import { undisturbed } from '../../test/support/undisturbed.ts';
import { until } from '../../test/support/until.ts';
import { systemClock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';
import { mintApiKey } from './api-key.ts';
import { createAuthenticate } from './authenticate.ts';

/** What the platform promises; the limit of the test leaves some room for a busy machine. */
const REVOKED_WITHIN_MS = 2_000;
/** How far the clocks of a node and of the database may be apart. */
const APART_MS = 60_000;
const realNow = Date.now;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const withHeader = (authorization: string) =>
  gateway.call('GET', '/api/v1/account', { key: null, headers: { authorization } });

describe('authentication', () => {
  it('knows an account by its key', async () => {
    const { status, json, headers } = await gateway.call('GET', '/api/v1/account');
    assert.equal(status, 200);
    assert.deepEqual(
      [json.id, json.name, json.mode, json.key.expires_at],
      [gateway.accountId, 'Test account', 'test', null],
    );
    assert.match(json.key.id, /^key_/);
    assert.equal(json.key.scopes.length, 6);
    assert.ok(headers.has('ratelimit') && headers.has('ratelimit-policy'));
    assert.equal((await withHeader(`bearer   ${gateway.testKey}`)).status, 200);
  });

  it('refuses missing, malformed, unknown and mistyped keys alike, without rate fields', async () => {
    const key = gateway.testKey;
    const malformed = [
      '',
      'Bearer',
      'Bearer ',
      key,
      `Basic ${key}`,
      `Token ${key}`,
      `Bearer ${key} ${key}`,
      `Bearer ${key},`,
    ];
    const unknown = [
      mintApiKey('test'),
      mintApiKey('live'),
      `wp_root_${'a'.repeat(64)}`,
      `${key.slice(0, -1)}!`,
      'x'.repeat(5_000),
    ];
    const answers = [
      await gateway.call('GET', '/api/v1/account', { key: null }),
      ...(await Promise.all(malformed.map(withHeader))),
      ...(await Promise.all(unknown.map((other) => withHeader(`Bearer ${other}`)))),
    ];
    for (const answer of answers) {
      assertProblem(answer, 'invalid_api_key');
      assert.ok(!answer.headers.has('ratelimit') && !answer.headers.has('ratelimit-policy'));
      assert.match(answer.json.detail, /: send all of it as "Authorization: Bearer <API_KEY>"\.$/);
      assert.equal(answer.json.detail, answers[0]?.json.detail);
    }
  });

  it('knows every platform key that the settings take, however long', async () => {
    const [long, next] = [`wp_root_${'a1'.repeat(500)}`, `wp_root_${'b2'.repeat(16)}`];
    const other = await startTestGateway({ settings: { WAYPOST_PLATFORM_KEYS: `${long},${next}` } });
    try {
      for (const key of [long, next])
        assert.equal((await other.call('GET', '/platform/v1/accounts', { key })).status, 200);
    } finally {
      await other.stop();
    }
  });

  it('refuses two keys in one call, because nobody knows which one is meant', async () => {
    const mine = `Bearer ${gateway.testKey}`;
    const another = `Bearer ${await gateway.createKey({ mode: 'live' })}`;
    const asked = (first: string, second: string) =>
      callRaw(gateway.url, { path: '/api/v1/account', headers: ['authorization', first, 'Authorization', second] });
    for (const [first, second] of [
      [mine, another],
      [another, mine],
      [mine, ''],
      [mine, `Basic ${gateway.testKey}`],
    ] as const)
      assertProblem(await asked(first, second), 'invalid_api_key');
    assert.equal((await asked(mine, mine)).status, 200, 'the same key twice leaves no doubt');
  });

  it('does not read keys in the query', async () => {
    for (const name of ['key', 'api_key', 'access_token', 'authorization'])
      assertProblem(
        await gateway.call('GET', `/api/v1/account?${name}=${gateway.testKey}`, { key: null }),
        'invalid_api_key',
      );
  });

  it('asks the database for well-formed keys only, and for one in use only now and then', async () => {
    let asked = 0;
    const database = {
      query: async () => {
        asked++;
        return [];
      },
    };
    const authenticate = createAuthenticate({ database, platformKeys: [], clock: systemClock });
    const key = mintApiKey('test');
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const refused = (error: unknown) => error instanceof ApiError && error.code === 'invalid_api_key';
    for (const other of [mistyped, 'wp_test_', 'nonsense'])
      await assert.rejects(authenticate(`Bearer ${other}`), refused);
    assert.equal(asked, 0);
    for (let count = 0; count < 5; count++) await assert.rejects(authenticate(`Bearer ${key}`), refused);
    assert.equal(asked, 1);
  });

  it('looks keys of one moment up together, each for its own account', async () => {
    let asked = 0;
    const database: Queryable = {
      query: (...statement) => {
        asked++;
        return gateway.database.query(...statement);
      },
    };
    const authenticate = createAuthenticate({ database, platformKeys: [], clock: systemClock });
    const accounts = await Promise.all(Array.from({ length: 30 }, () => gateway.createAccount('One of many')));
    const keys = await Promise.all(accounts.map((accountId) => gateway.createKey({ accountId })));
    const unknown = authenticate(`Bearer ${mintApiKey('test')}`);
    const found = await Promise.all([...keys.map((key) => authenticate(`Bearer ${key}`)), assert.rejects(unknown)]);
    assert.deepEqual(
      found.flatMap((principal) => (principal?.kind === 'account' ? [principal.accountId] : [])),
      accounts,
    );
    assert.ok(asked <= 2, `${asked} queries for ${keys.length} keys`);
  });

  it('keeps no call waiting while a key in use is read again', async () => {
    const key = { id: newId(), account_id: newId(), mode: 'live', scopes: null, valid_seconds: null };
    const row = { ...key, place: 1 };
    const slow = Promise.withResolvers<void>();
    let asked = 0;
    const database: Queryable = {
      query: async <Row>() => {
        if (++asked > 1) await slow.promise;
        return [row as Row];
      },
    };
    const clock = { ms: 0, steadyMs: () => clock.ms };
    const authenticate = createAuthenticate({ database, platformKeys: [], clock });
    const authorization = `Bearer ${mintApiKey('live')}`;
    await authenticate(authorization);
    clock.ms += 1_200;
    await Promise.all([authenticate(authorization), authenticate(authorization)]);
    await until(() => asked === 2);
    slow.resolve();
  });

  it('counts the time that a key has left from when the database was asked, and not from its answer', async () => {
    const clock = { ms: 0, steadyMs: () => clock.ms };
    const row = { id: newId(), account_id: newId(), mode: 'live', scopes: null, valid_seconds: 1 };
    const database: Queryable = {
      query: async <Row>() => {
        clock.ms += 700;
        return [{ ...row, place: 1 } as Row];
      },
    };
    const authenticate = createAuthenticate({ database, platformKeys: [], clock });
    const authorization = `Bearer ${mintApiKey('live')}`;
    await authenticate(authorization);
    clock.ms += 300;
    await assert.rejects(authenticate(authorization), ApiError);
  });

  it('refuses a key from the moment it expires', () =>
    undisturbed(async () => {
      const expiresAt = new Date(Date.now() + 5_000);
      const key = await gateway.createKey({ expiresAt });
      const call = () => gateway.call('GET', '/api/v1/account', { key });
      assert.equal((await call()).json.key.expires_at, expiresAt.toISOString());
      await until(async () => (await call()).status === 401);
      // Its time is counted from the question to the database: earlier by as long as the answer takes.
      assert.ok(Date.now() >= expiresAt.getTime() - 1_000);
      assertProblem(await call(), 'invalid_api_key');
    }));

  it('refuses a revoked key within 2 s, and suspends an account as fast', async () => {
    const accountId = await gateway.createAccount('Short-lived');
    const key = await gateway.createKey({ accountId });
    const call = () => gateway.call('POST', '/api/v1/messages/validate', { key, body: {} });
    assertProblem(await call(), 'invalid_request');
    await gateway.database.query('update account set suspended_at = now() where id = $1', [accountId]);
    await within(REVOKED_WITHIN_MS, async () => (await call()).status === 403);
    assertProblem(await call(), 'account_suspended');
    assert.equal((await gateway.call('GET', '/api/v1/messages', { key })).status, 200, 'reading stays possible');
    await gateway.database.query('update api_key set revoked_at = now() where account_id = $1', [accountId]);
    await within(REVOKED_WITHIN_MS, async () => (await call()).status === 401);
    assertProblem(await gateway.call('GET', '/api/v1/messages', { key }), 'invalid_api_key');
  });

  it('refuses a key that was made while its account was being deleted', async () => {
    const accountId = await gateway.createAccount('Being deleted');
    await gateway.database.query('update account set deleted_at = now() where id = $1', [accountId]);
    const key = await gateway.createKey({ accountId });
    assertProblem(await gateway.call('GET', '/api/v1/account', { key }), 'invalid_api_key');
  });

  it('refuses a call whose key was revoked, or whose account was suspended, while its body was arriving', async () => {
    const body = JSON.stringify({ to: '+447700900071', type: 'text', text: { body: 'Hello' } });
    const changes = [
      [401, 'invalid_api_key', 'update api_key set revoked_at = now() where account_id = $1'],
      [403, 'account_suspended', 'update account set suspended_at = now() where id = $1'],
    ] as const;
    for (const [status, code, change] of changes) {
      const accountId = await gateway.createAccount('Slow');
      const key = await gateway.createKey({ accountId });
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      const begun = once(socket, 'data');
      const headers = [
        'host: a',
        `authorization: Bearer ${key}`,
        'content-type: application/json',
        'expect: 100-continue',
      ];
      socket.write(
        `POST /api/v1/messages/send HTTP/1.1\r\n${headers.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      assert.match(String(await begun), /^HTTP\/1.1 100 /);
      const call = () => gateway.call('POST', '/api/v1/messages/validate', { key, body: {} });
      assertProblem(await call(), 'invalid_request');
      await gateway.database.query(change, [accountId]);
      await within(REVOKED_WITHIN_MS, async () => (await call()).status === status);
      const answered = once(socket, 'data');
      socket.write(body);
      const answer = String(await answered);
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      assert.match(answer, new RegExp(`"code":"${code}"`));
      assert.equal(/^ratelimit:/m.test(answer), status === 403, 'of a known key only');
      socket.destroy();
    }
    assert.deepEqual(await transmitsOf(gateway.sandbox, '+447700900071'), []);
  });

  it("goes by the database's clock, also on a node whose own is behind or ahead", async (t) => {
    let apartMs = 0;
    t.mock.method(Date, 'now', () => realNow() + apartMs);
    const statusOf = async (key: string) => (await gateway.call('GET', '/api/v1/account', { key })).status;
    for (apartMs of [-APART_MS, APART_MS]) {
      const key = await gateway.createKey({});
      assert.equal(await statusOf(key), 200);
      // As by another node, which this one does not hear of.
      await gateway.database.query(
        'update api_key set revoked_at = now() where id = (select id from api_key order by created_at desc limit 1)',
      );
      await within(REVOKED_WITHIN_MS, async () => (await statusOf(key)) === 401);
      const expiring = (afterMs: number) => gateway.createKey({ expiresAt: new Date(realNow() + afterMs) });
      assert.equal(await statusOf(await expiring(-APART_MS / 2)), 401);
      assert.equal(await statusOf(await expiring(APART_MS / 2)), 200);
    }
  });

  it('lets a key do what its scopes name and nothing else', async () => {
    const key = await gateway.createKey({ scopes: ['messages:read'] });
    assert.equal((await gateway.call('GET', '/api/v1/messages', { key })).status, 200);
    assert.deepEqual((await gateway.call('GET', '/api/v1/account', { key })).json.key.scopes, ['messages:read']);
    const refused: [string, string][] = [
      ['POST', '/api/v1/messages/send'],
      ['POST', '/api/v1/messages/validate'],
      ['GET', '/api/v1/channels'],
    ];
    for (const [method, path] of refused)
      assertProblem(
        await gateway.call(method, path, { key, ...(method === 'POST' && { body: {} }) }),
        'insufficient_scope',
      );
  });

  it("keeps the platform's keys and the accounts' keys apart, and says which one is needed", async () => {
    const ofPlatform = await gateway.call('GET', '/api/v1/account', { key: gateway.platformKey });
    assertProblem(ofPlatform, 'insufficient_scope');
    assert.match(ofPlatform.json.detail, /needs a key of an account/);
    assert.equal(ofPlatform.headers.has('ratelimit'), false);
    const ofAccount = await gateway.call('GET', '/platform/v1/accounts');
    assertProblem(ofAccount, 'insufficient_scope');
    assert.match(ofAccount.json.detail, /needs a key of the platform/);
    assert.equal(ofAccount.headers.has('ratelimit'), true, 'the key is known');
  });

  it('tells a suspended account of that first, also where its keys may do nothing', async () => {
    const accountId = await gateway.createAccount('Suspended');
    const key = await gateway.createKey({ accountId });
    const platform = { key: gateway.platformKey, body: { suspended: true } };
    assert.equal((await gateway.call('PATCH', `/platform/v1/accounts/${accountId}`, platform)).status, 200);
    const path = '/platform/v1/accounts';
    assertProblem(await gateway.call('POST', path, { key, body: { name: 'Another' } }), 'account_suspended');
    assertProblem(await gateway.call('GET', path, { key }), 'insufficient_scope');
  });
});

async function within(limitMs: number, condition: () => Promise<boolean>): Promise<void> {
  const startMs = performance.now();
  await until(condition);
  assert.ok(performance.now() - startMs < limitMs + 10_000, `${performance.now() - startMs} ms`);
}
