import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/server.ts';
import type { Route } from '../../src/http/route.ts';
import { routesAsData } from '../../src/routes-as-data.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { addChannel, lineOf, messagesBody, postSigned, statusOf, textFrom } from '../support/notifications.ts';
import { assertProblem } from '../support/problem.ts';
import { queryMembersOf, STREAM } from '../support/routes.ts';
import { until } from '../support/until.ts';
import { makeWorld, secretOf, tell, type World } from './world.ts';

/** The routes that need no key. A new route of this kind must be a decision, and is added here. */
const FOR_ANYONE = [
  'GET /',
  'GET /api/messaging/webhook',
  'POST /api/messaging/webhook',
  'GET /healthz',
  'GET /readyz',
  'GET /console',
  'GET /console/',
  'GET /console/*',
  'GET /docs',
  'GET /docs/',
  'GET /docs/style.css',
  'GET /docs/*',
  'GET /docs/api',
  'GET /docs/api/redoc.js',
  'GET /docs/api/start.js',
  'GET /docs/openapi.json',
  'GET /openapi.json',
];
/** Bodies for routes that do not accept an empty one: a fault in the body would hide that the id belongs to another account. */
const BODIES: Record<string, unknown> = {
  '/api/v1/endpoints/:id/replay': { after_sequence: 0 },
  '/api/v1/endpoints/:id/check-signature': { headers: {}, body: '' },
};
/** Members of queries that name nothing of one account and mode. All others are in the filters of a world. */
const OF_ANYBODY = [
  ...['limit', 'cursor', 'after', 'wait', 'since', 'until', 'step', 'status', 'direction', 'type', 'name', 'language'],
  'from', // It chooses a channel, and that of another one is an error.
];

let provider: Sandbox;
let gateway: TestGateway;
let worlds: World[];
before(async () => {
  provider = await createSandbox({ port: 0, appSecret: 'unused', statuses: 'off' });
  gateway = await startTestGateway({ sandbox: { statuses: 'off' }, settings: { WAYPOST_PROVIDER_URL: provider.url } });
  worlds = [];
  for (const [place, accountId] of [gateway.accountId, await gateway.createAccount('Other')].entries()) {
    const live = { phoneNumberId: `880${place}`, businessAccountId: `990${place}`, phoneNumber: `+1555088000${place}` };
    const test = await lineOf(gateway, accountId);
    await addChannel(gateway, { ...live, accountId, mode: 'live' });
    worlds.push(await makeWorld(gateway, accountId, 'test', test), await makeWorld(gateway, accountId, 'live', live));
  }
});
after(async () => {
  await gateway.stop();
  await provider.close();
});

const routesBy = (by: Route['access']['by']) => routesAsData().filter(({ access }) => access.by === by);
const hasId = ({ path }: Route) => path.includes('/:');
const withId = ({ path }: Route, id: string) => path.replace(/:\w+/, id);
const bodyOf = ({ method, path }: Route) =>
  method === 'GET' || method === 'DELETE' ? undefined : (BODIES[path] ?? {});
const lists = () => routesBy('account').filter((one) => one.method === 'GET' && !hasId(one) && one.path !== STREAM);
/** What the first account has in each mode, and who has nothing to do with it: the other mode, the other account, and both. */
const pairs = () =>
  worlds.slice(0, 2).flatMap((owner) => worlds.filter((one) => one !== owner).map((intruder) => ({ owner, intruder })));

describe('what belongs to another account or mode', () => {
  it('is not found by any id, on any route', async () => {
    const routes = routesBy('account').filter(hasId);
    assert.ok(routes.length >= 3);
    for (const { owner, intruder } of pairs())
      for (const route of routes)
        for (const id of [...owner.ids, owner.accountId]) {
          const answer = await intruder.call(route.method, withId(route, id), bodyOf(route));
          assert.equal(
            answer.json?.code,
            'not_found',
            `${intruder.name}: ${route.method} ${withId(route, id)} ${answer.text}`,
          );
        }
  });

  it('is found by its owner, so that the test before would fail without the walls', async () => {
    for (const owner of worlds) {
      const found: string[] = [];
      for (const route of routesBy('account').filter((one) => hasId(one) && one.method === 'GET'))
        for (const id of owner.ids)
          if ((await owner.call('GET', withId(route, id))).status === 200) found.push(route.path);
      assert.deepEqual(
        found.toSorted(),
        routesBy('account')
          .filter((one) => hasId(one) && one.method === 'GET')
          .map(({ path }) => path)
          .toSorted(),
      );
    }
  });

  it('is in no list, under no filter', async () => {
    for (const { owner, intruder } of pairs()) {
      const traces = [...owner.ids, owner.providerMessageId, owner.line.phoneNumber, ...Object.values(owner.filters)];
      for (const route of lists()) {
        const known = queryMembersOf(route).filter((name) => name in owner.filters);
        const queries = ['', ...known.map((name) => `?${name}=${encodeURIComponent(owner.filters[name] ?? '')}`)];
        for (const query of queries) {
          const { status, text, json } = await intruder.call('GET', route.path + query);
          assert.equal(status, 200, text);
          if (query !== '') assert.deepEqual(json.data, [], `${intruder.name}: ${route.path}${query}`);
          for (const trace of traces)
            assert.ok(!text.includes(trace), `${intruder.name}: ${route.path} shows ${trace}`);
        }
      }
    }
  });

  it('is in the lists of its owner, and every filter is tried, so that the test before would fail without the walls', async () => {
    for (const owner of worlds)
      for (const route of lists()) {
        const { json } = await owner.call('GET', route.path);
        if ('data' in json) assert.notDeepEqual(json.data, [], `${owner.name}: ${route.path}`);
        const untried = queryMembersOf(route).filter((name) => !(name in owner.filters) && !OF_ANYBODY.includes(name));
        assert.deepEqual(untried, [], route.path);
      }
  });

  it('sends nothing and is checked for nothing', async () => {
    for (const { owner, intruder } of pairs())
      for (const from of [owner.channelId, owner.line.phoneNumber]) {
        const templates = `/api/v1/templates?from=${encodeURIComponent(from)}`;
        assertProblem(await intruder.call('GET', templates), 'unknown_channel');
        for (const path of ['/api/v1/messages/send', '/api/v1/messages/validate']) {
          const body = { to: '+447700900899', from, type: 'text', text: { body: 'Hello' } };
          assertProblem(await intruder.call('POST', path, body), 'unknown_channel');
        }
      }
  });

  it('shares no idempotency key', async () => {
    const body = { to: '+447700900898', type: 'text', text: { body: 'Hello' } };
    const answers = await Promise.all(
      worlds.map(({ key }) =>
        gateway.call('POST', '/api/v1/messages/send', { key, body, headers: { 'idempotency-key': 'shared' } }),
      ),
    );
    assert.equal(new Set(answers.map(({ json }) => json.request_id)).size, worlds.length);
  });
});

describe('a key', () => {
  it('that is missing or was revoked opens no route but the public ones', async () => {
    assert.deepEqual(
      routesBy('anyone')
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
      FOR_ANYONE.toSorted(),
    );
    const wish = { name: 'Revoked', mode: 'test' };
    const made = await platform('POST', `/platform/v1/accounts/${gateway.accountId}/keys`, wish);
    const { id, key } = made.json;
    assert.equal((await gateway.call('GET', '/api/v1/account', { key })).status, 200);
    assert.equal((await platform('DELETE', `/platform/v1/keys/${id}`)).status, 204);
    await until(async () => (await gateway.call('GET', '/api/v1/account', { key })).status === 401);
    const [own] = worlds;
    for (const route of [...routesBy('account'), ...routesBy('platform')])
      for (const refused of [key, null])
        for (const anId of own?.ids ?? []) {
          const body = bodyOf(route);
          const options = { key: refused, ...(body !== undefined && { body }) };
          assertProblem(await gateway.call(route.method, withId(route, anId), options), 'invalid_api_key');
          if (!hasId(route)) break;
        }
  });

  it("of an account opens none of the platform's routes, and the other way round", async () => {
    for (const route of routesBy('platform'))
      for (const { call, accountId } of worlds)
        assertProblem(await call(route.method, withId(route, accountId), bodyOf(route)), 'insufficient_scope');
    for (const route of routesBy('account')) {
      const answer = await platform(route.method, withId(route, worlds[0]?.messageId ?? ''), bodyOf(route));
      assertProblem(answer, 'insufficient_scope');
    }
  });
});

describe('a notification', () => {
  it('touches only what the mode of its secret has', async () => {
    for (const world of worlds) {
      const other = secretOf(gateway, world.mode === 'test' ? 'live' : 'test');
      const { messageId, providerMessageId: providerId, line } = world;
      const delivered = statusOf('delivered', { providerId, messageId });
      const inbound = messagesBody(line, { messages: [textFrom('+447700900897', `wamid.${world.name}`)] });
      await tell(gateway, line, other, delivered);
      await postSigned({ url: gateway.url, secret: other }, inbound);
      await tell(gateway, line, secretOf(gateway, world.mode), statusOf('sent', { providerId, messageId }));
      const read = async () => (await world.call('GET', `/api/v1/messages/${messageId}`)).json.status;
      const received = async () => (await world.call('GET', '/api/v1/messages?direction=inbound')).json.data.length;
      assert.deepEqual([await read(), await received()], ['sent', 0], world.name);
      await postSigned({ url: gateway.url, secret: secretOf(gateway, world.mode) }, inbound);
      await tell(gateway, line, secretOf(gateway, world.mode), delivered);
      assert.deepEqual([await read(), await received()], ['delivered', 1], world.name);
    }
  });
});

function platform(method: string, path: string, body?: unknown) {
  return gateway.call(method, path, { key: gateway.platformKey, ...(body !== undefined && { body }) });
}
