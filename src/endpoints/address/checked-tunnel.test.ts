import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { startReceiver } from '../../../test/endpoints/receiver.ts';
import { type Route, startHttpProxy } from '../../../test/support/http-proxy.ts';
import { startTlsServer } from '../../../test/support/tls-server.ts';
import { post } from '../call/post.ts';
import { createGuardedAgent } from './guarded-agent.ts';

const TIMEOUT_MS = 30_000;
/** Of the world, and of nobody who is asked here: the proxy of these tests leads to this machine. */
const IPV4 = ['93.184.216.34', '93.184.216.35'];
const IPV6 = '2606:2800:220:1:248:1893:25c8:1946';

interface Wish {
  route: Route;
  addresses?: string[];
  local?: boolean;
}

async function start(t: TestContext, { route, addresses = IPV4, local = false }: Wish) {
  const proxy = await startHttpProxy(route);
  const options = { local, timeoutMs: TIMEOUT_MS, proxyUrl: proxy.url };
  const agent = createGuardedAgent(async () => addresses, options);
  t.after(async () => {
    await agent.destroy();
    proxy.close();
  });
  const postTo = (origin: string) =>
    post(agent, { origin, path: '/hook', headers: {}, body: '{}' }, { timeoutMs: TIMEOUT_MS });
  return { postTo, asked: () => proxy.asked.map(({ authority }) => authority) };
}

describe('an endpoint behind a proxy', () => {
  it('is called by TLS under its name, and the proxy is given the address that was checked', async (t) => {
    const { port, close } = await startTlsServer(({ socket }) => {
      const answer = () => socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      socket.on('data', answer);
      answer();
    });
    t.after(close);
    const { postTo, asked } = await start(t, { route: () => ({ port }) });
    for (let n = 0; n < 6; n += 1) assert.equal((await postTo('https://shop.example')).httpStatus, 204);
    assert.ok(asked().length <= 2, 'the connection is used again');
    assert.equal((await postTo('https://other.example')).error, 'tls', 'the certificate is for another name');
    assert.deepEqual(new Set(asked()), new Set([`${IPV4[0]}:443`]));
  });

  it('is called at its next address where the proxy does not reach the first, of both families', async (t) => {
    const { postTo, asked } = await start(t, { route: () => ({ refuse: 502 }), addresses: [IPV6, ...IPV4] });
    assert.equal((await postTo('https://shop.example:8443')).error, 'refused');
    assert.deepEqual(asked(), [`${IPV4[0]}:8443`, `${IPV4[1]}:8443`, `[${IPV6}]:8443`]);
  });

  it('is asked for once at each address where the proxy hangs up', async (t) => {
    const { postTo, asked } = await start(t, { route: () => ({ refuse: 'hang_up' }) });
    assert.equal((await postTo('https://shop.example')).error, 'refused');
    assert.deepEqual(asked(), [`${IPV4[0]}:443`, `${IPV4[1]}:443`]);
  });

  it('is not asked for at an address that is refused, nor at one that was given with it', async (t) => {
    const addresses = ['93.184.216.34', '169.254.169.254'];
    const { postTo, asked } = await start(t, { route: () => ({ refuse: 502 }), addresses });
    assert.equal((await postTo('https://shop.example')).error, 'address_refused');
    assert.deepEqual(asked(), []);
  });

  it('is called directly where it is on this machine', async (t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const { origin, port } = new URL(receiver.url);
    for (const addresses of [['127.0.0.1'], ['127.0.0.1', ...IPV4]]) {
      const { postTo, asked } = await start(t, { route: () => ({ refuse: 502 }), local: true, addresses });
      for (const here of [origin, `http://here.example:${port}`]) assert.equal((await postTo(here)).httpStatus, 204);
      assert.deepEqual(asked(), [], 'it would be led to what listens on its own machine');
    }
  });
});
