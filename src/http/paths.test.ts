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
  it('with an id that is not well formed, or of another kind, are told the form of the right one', async () => {
    const id = 'evt_01h455vb4pex5vsknk084sn02q';
    const key = gateway.platformKey;
    const detailOf = async (path: string, method = 'GET') => (await gateway.call(method, path, { key })).json.detail;
    const form = (prefix: string) => `: its id has ${prefix}_ and 26 letters and digits in lower case.`;
    for (const wrong of [id, id.toUpperCase(), 'x'])
      assert.equal(
        await detailOf(`/platform/v1/channels/${wrong}`, 'DELETE'),
        `There is no such channel${form('chn')}`,
      );
    assert.equal(await detailOf(`/platform/v1/keys/${id}`, 'DELETE'), `There is no such key${form('key')}`);
    assert.equal(await detailOf(`/platform/v1/keys/${id}/roll`, 'POST'), `There is no such key${form('key')}`);
    assert.equal(
      await detailOf('/platform/v1/accounts/acc_1'),
      'There is no such account: its id is a UUID in lower case.',
    );
    const ofAccount = async (path: string) => (await gateway.call('GET', path)).json.detail;
    for (const [path, kind, prefix] of [
      ['messages', 'message', 'msg'],
      ['requests', 'request', 'req'],
      ['templates', 'template', 'tpl'],
      ['endpoints', 'endpoint', 'end'],
    ] as const) {
      assert.equal(await ofAccount(`/api/v1/${path}/${id}`), `There is no such ${kind}${form(prefix)}`);
      assert.equal(await ofAccount(`/api/v1/${path}/${prefix}_${id.slice(4)}`), `There is no such ${kind}.`);
    }
  });

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

const faultsOf = async (method: string, path: string, body?: unknown) =>
  assertProblem(await gateway.call(method, path, { body }), 'invalid_request').map(({ parameter }) => parameter);

const sentencesOf = async (path: string): Promise<string[]> => {
  const { errors } = (await gateway.call('GET', path)).json;
  return errors
    .map(({ parameter, detail }: { parameter: string; detail: string }) => `${parameter}: ${detail}`)
    .toSorted();
};

describe('queries', () => {
  it('with unknown names are refused and the names are told, on every call', async () => {
    const send = { to: '+447700900001', type: 'text', text: { body: 'Hello' } };
    assert.deepEqual(await faultsOf('POST', '/api/v1/messages/send?dry_run=1', send), ['dry_run']);
    assert.deepEqual(await faultsOf('GET', '/api/v1/account?x=1'), ['x']);
    assert.deepEqual(await faultsOf('GET', '/api/v1/messages?Limit=1&__proto__=1&a%2Fb~c=&constructor=2'), [
      'Limit',
      '__proto__',
      'a/b~c',
      'constructor',
    ]);
  });

  it('say of each parameter what it must be, and call one that is not known a parameter', async () => {
    const path = '/api/v1/events?after=x&wait=31&limit=0&first=1';
    assert.deepEqual(await sentencesOf(path), [
      'after: This must be a whole number of 1 to 15 digits.',
      'first: This parameter is not known. Known here: after, type, limit, wait.',
      'limit: This must be a whole number from 1 to 100.',
      'wait: This must be a whole number from 0 to 30.',
    ]);
  });

  it('share the bound of the faults that one answer lists with what is wrong in the body', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, place) => `no${place}`);
    const body = (count: number) => Object.fromEntries(names(count).map((name) => [name, '\0']));
    const faults = async (query: number, members: number) =>
      (await faultsOf('POST', `/api/v1/endpoints?${names(query).join('=&')}`, body(members))).length;
    // Each member has two faults, and the missing url is one more.
    assert.deepEqual([await faults(10, 10), await faults(1, 400), await faults(400, 400)], [31, 300, 300]);
  });

  it('with a parameter twice are refused', async () => {
    assert.deepEqual(await faultsOf('GET', '/api/v1/messages?limit=1&limit=1'), ['limit']);
    assert.deepEqual(await faultsOf('GET', '/api/v1/messages?status=read&status=sent'), ['status']);
  });

  it('with a parameter twice are told just that: the value of each may be right', async () => {
    const path =
      '/api/v1/events?after=1&after=2&limit=1&limit=0&limit=x&wait=31&type=message.read&type=message.sent&no=1&no=2';
    assert.deepEqual(await sentencesOf(path), [
      'after: This parameter is given more than once.',
      'limit: This parameter is given more than once.',
      'no: This parameter is not known. Known here: after, type, limit, wait.',
      'type: This parameter is given more than once.',
      'wait: This must be a whole number from 0 to 30.',
    ]);
  });

  it('with several faults name them all', async () => {
    assert.deepEqual((await faultsOf('GET', '/api/v1/messages?limit=0&status=gone&nothing=')).toSorted(), [
      'limit',
      'nothing',
      'status',
    ]);
  });

  it('with several faults name them all, also where one is seen only when the value is read', async () => {
    const all = async (path: string) => (await faultsOf('GET', path)).toSorted();
    assert.deepEqual(await all('/api/v1/messages?limit=0&since=x&cursor=x&nothing='), [
      ...['cursor', 'limit', 'nothing', 'since'],
    ]);
    assert.deepEqual(await all('/api/v1/messages?since=x&cursor=x'), ['cursor', 'since']);
    assert.deepEqual(await all('/api/v1/events?after=x&type=message.gone'), ['after', 'type']);
    assert.deepEqual(await all('/api/v1/statistics?since=x&until=2026-02-30T00:00:00Z&step=week'), [
      ...['since', 'step', 'until'],
    ]);
  });

  it('are refused also where an id in them belongs to nothing', async () => {
    assert.deepEqual(await faultsOf('GET', '/api/v1/messages?request_id=x&since=x'), ['since']);
  });

  it('with faults are told together with the faults of the body', async () => {
    const all = async (path: string, body: unknown) => {
      const faults = assertProblem(await gateway.call('POST', path, { body }), 'invalid_request');
      return faults.map(({ parameter, pointer }) => parameter ?? pointer).toSorted();
    };
    assert.deepEqual(await all('/api/v1/messages/send?dry_run=1', {}), ['#/to', '#/type', 'dry_run']);
    assert.deepEqual(await all('/api/v1/messages/send?dry_run=1', []), ['#', 'dry_run']);
    assert.deepEqual(await all('/api/v1/messages/validate?dry_run=1', {}), ['#/to', '#/type', 'dry_run']);
    assert.deepEqual(await all('/api/v1/endpoints?dry_run=1', { description: 'x' }), ['#/url', 'dry_run']);
  });

  it('with a filter that is empty are refused', async () => {
    for (const name of ['request_id', 'message_id', 'client_reference', 'to', 'status', 'since'])
      assert.deepEqual(new Set(await faultsOf('GET', `/api/v1/messages?${name}=`)), new Set([name]));
  });

  it('with U+0000 are refused', async () => {
    for (const name of ['client_reference', 'message_id', 'to'])
      assert.deepEqual(await faultsOf('GET', `/api/v1/messages?${name}=a%00b`), [name]);
  });

  it('that are not percent-encoded UTF-8 are refused, and never searched for as they stand', async () => {
    const broken = ['caf%E9', '%', 'a%2', '%zz', '%2B447700900123%2', '%ED%A0%80', '%C0%AF', 'a+%ff'];
    for (const value of broken) {
      const { errors } = (await gateway.call('GET', `/api/v1/messages?client_reference=${value}`)).json;
      assert.deepEqual(
        errors,
        [{ parameter: 'client_reference', detail: 'This is not percent-encoded UTF-8.' }],
        value,
      );
    }
    assert.deepEqual(await faultsOf('GET', '/api/v1/messages?limit=1&&to=%E9&client%5Freference=%E9'), [
      ...['to', 'client_reference'],
    ]);
    assert.deepEqual(new Set(await faultsOf('GET', '/api/v1/messages?%E9=1&nothing=%E9')), new Set(['%E9', 'nothing']));
    const send = { to: '+447700900001', type: 'text', text: { body: 'Hello' } };
    assert.deepEqual(new Set(await faultsOf('POST', '/api/v1/messages/send?%', send)), new Set(['%']));
    assert.equal((await gateway.call('GET', '/api/v1/messages?client_reference=caf%C3%A9+%25')).status, 200);
  });

  it('with limits out of bounds, strange cursors and times are refused', async () => {
    for (const limit of ['', '0', '101', '-1', '1.5', '1e1', '01', ' 1', 'ten'])
      assert.deepEqual(await faultsOf('GET', `/api/v1/messages?limit=${limit}`), ['limit'], limit);
    for (const limit of ['1', '99', '100'])
      assert.equal((await gateway.call('GET', `/api/v1/messages?limit=${limit}`)).status, 200, limit);
    for (const cursor of ['', 'x', 'a'.repeat(21), 'a'.repeat(23), '%00', 'msg_01h455vb4pex5vsknk084sn02q'])
      assert.deepEqual(
        new Set(await faultsOf('GET', `/api/v1/messages?cursor=${cursor}`)),
        new Set(['cursor']),
        cursor,
      );
    const noTimes = ['', 'yesterday', '2026-01-01', '2026-13-01T00:00:00Z', '1', '2026-01-01T00:00:00'];
    for (const since of [...noTimes, '2026-02-30T00:00:00Z', '2025-02-29T00:00:00Z', '2026-01-01T24:00:00Z'])
      assert.deepEqual(await faultsOf('GET', `/api/v1/messages?since=${since}`), ['since'], since);
    assert.equal((await gateway.call('GET', '/api/v1/messages?since=2024-02-29T23:59:59Z')).status, 200);
  });
});
