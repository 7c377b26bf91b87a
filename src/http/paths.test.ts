import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { callRaw, exchangeBytes } from '../../test/support/raw-http.ts';

const SEND = '/api/v1/messages/send';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

describe('paths', () => {
  it('that do not exist are not_found, with or without a key and whatever the method and body', async () => {
    const paths = [
      '/api/v1',
      '/api/v1/',
      '/api/v1/message',
      '/api/v2/messages',
      '/API/v1/messages',
      '/api/v1/messages/',
      '/api/v1/messages/send/',
      '/api//v1/messages',
      '/api/v1/messages/send/more',
      '/api/v1/messages/%zz',
      `/api/v1/messages/${'a'.repeat(5_000)}`,
      '/api/v1/messages/%ff',
    ];
    for (const path of paths) {
      assertProblem(await gateway.call('GET', path), 'not_found');
      if (!path.includes('%ff')) assertProblem(await gateway.call('GET', path, { key: null }), 'not_found');
      if (!path.includes('%ff'))
        assertProblem(await callRaw(gateway.url, { method: 'POST', path, body: 'x' }), 'not_found');
    }
    const big = Buffer.alloc(2 << 20, 32);
    assertProblem(await callRaw(gateway.url, { method: 'POST', path: '/nothing', body: big }), 'not_found');
    assertProblem(await callRaw(gateway.url, { method: 'QUERY', path: '/nothing' }), 'not_found');
  });

  it('that exist refuse every other method and name the ones they have, before any key is looked at', async () => {
    const others = METHODS.filter((method) => method !== 'CONNECT');
    const known: [string, string[]][] = [
      [SEND, ['POST']],
      ['/api/v1/messages/validate', ['POST']],
      ['/api/v1/messages', ['GET']],
      ['/api/v1/messages/msg_01h455vb4pex5vsknk084sn02q', ['GET']],
      ['/platform/v1/accounts', ['GET', 'POST']],
    ];
    for (const [path, allowed] of known)
      for (const method of others.filter((name) => !allowed.includes(name))) {
        const answer = await callRaw(gateway.url, { method, path });
        if (method === 'HEAD') assert.equal(answer.status, 405);
        else assertProblem(answer, 'method_not_allowed');
        assert.deepEqual(answer.headers.get('allow')?.split(', ').toSorted(), allowed, `${method} ${path}`);
      }
  });

  it('that need no key answer HEAD as GET without the body, as probes and link checkers ask', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs', '/console']) {
      const [get, head] = [await callRaw(gateway.url, { path }), await callRaw(gateway.url, { method: 'HEAD', path })];
      assert.equal(head.status, get.status, path);
      assert.equal(head.text, '');
      for (const name of ['content-type', 'content-length', 'location'])
        assert.equal(head.headers.get(name), get.headers.get(name), `${name} of ${path}`);
      const other = await callRaw(gateway.url, { method: 'POST', path });
      assertProblem(other, 'method_not_allowed');
      assert.equal(other.headers.get('allow'), 'GET, HEAD');
    }
    const callback = await callRaw(gateway.url, { method: 'HEAD', path: '/api/messaging/webhook' });
    assert.deepEqual([callback.status, callback.headers.get('allow')], [405, 'GET, POST']);
  });

  it('lead from the bare address to the documentation, also below the path of a proxy', async () => {
    for (const path of ['/', '/?utm_source=mail'])
      for (const method of ['GET', 'HEAD']) {
        const answer = await callRaw(gateway.url, { method, path });
        assert.deepEqual([answer.status, answer.headers.get('location')], [302, './docs'], `${method} ${path}`);
      }
    const followed = await fetch(gateway.url);
    assert.deepEqual([followed.status, new URL(followed.url).pathname], [200, '/docs']);
  });

  it('that need no key are there whatever their query has, as monitors add to it against caches', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs'])
      for (const query of ['?t=1795677000', '?%ff', '?a=1&a=2'])
        assert.equal((await callRaw(gateway.url, { path: `${path}${query}` })).status, 200, `${path}${query}`);
  });

  it('may be given whole, and the names of the calls are never ids', async () => {
    assertProblem(await callRaw(gateway.url, { path: `http://elsewhere${SEND}` }), 'method_not_allowed');
    assertProblem(await callRaw(gateway.url, { path: '/api/v1/messages/%73end' }), 'method_not_allowed');
  });
});

describe('what is hardly HTTP', () => {
  it('gets a problem page and the connection is closed', async () => {
    const broken = [
      'NONSENSE\r\n\r\n',
      `POST ${SEND} HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n`,
      `POST ${SEND} HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n`,
      `GET ${SEND} HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(100_000)}\r\n\r\n`,
      `GET /a b HTTP/1.1\r\nhost: x\r\n\r\n`,
    ];
    for (const bytes of broken) {
      const [head = '', body = ''] = (await exchangeBytes(gateway.url, bytes)).split('\r\n\r\n');
      assert.match(head, /^HTTP\/1\.1 4\d\d /, bytes.slice(0, 80));
      assert.match(head, /\r\ncontent-type: application\/problem\+json\r\n/);
      assert.equal(head.includes(JSON.parse(body).request_id), true);
    }
  });

  it('is answered like any other method where somebody wants a tunnel, and closed behind a call that is under way', async () => {
    const connectTo = (path: string) => `CONNECT ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
    const answer = await exchangeBytes(gateway.url, connectTo(SEND));
    assert.match(answer, /^HTTP\/1\.1 405 .*\r\nallow: POST\r\n.*\r\nx-request-id: req_.*"code":"method_not_allowed"/s);
    assert.match(await exchangeBytes(gateway.url, connectTo('elsewhere:443')), /^HTTP\/1\.1 404 .*"code":"not_found"/s);
    const waiting = `GET /api/v1/events?wait=30 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.testKey}\r\n\r\n`;
    assert.equal(await exchangeBytes(gateway.url, waiting + connectTo(SEND)), '');
    assert.equal((await callRaw(gateway.url, { path: '/healthz' })).status, 200);
  });

  it('is answered like anything else where only a host is missing or an expectation is not known', async () => {
    for (const header of ['', 'host: x\r\nexpect: the-unexpected\r\n']) {
      const answer = await exchangeBytes(gateway.url, `GET /nothing HTTP/1.1\r\n${header}connection: close\r\n\r\n`);
      assert.match(answer, /^HTTP\/1\.1 404 .*application\/problem\+json/s);
    }
  });
});

it('no cache keeps what the API and the probes answer, and caches keep what is the same for everybody', async () => {
  const toldOf = async (path: string) => (await gateway.call('GET', path)).headers.get('cache-control');
  for (const path of ['/api/v1/account', '/api/v1/messages', '/api/v1/nothing', '/api/v1/messages/%zz', '/readyz'])
    assert.equal(await toldOf(path), 'no-store', path);
  for (const path of ['/openapi.json', '/docs', '/docs/api']) assert.match((await toldOf(path)) ?? '', /^public/, path);
});
