import assert from 'node:assert/strict';
import dns from 'node:dns';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Route, startHttpProxy } from '../../../../test/support/http-proxy.ts';
import { startTlsServer, type TlsConnection } from '../../../../test/support/tls-server.ts';
import { until } from '../../../../test/support/until.ts';
import { createWhatsAppProvider } from './client.ts';
import { accepted, message, SENDER, startWireServer } from './test-servers.ts';

const UNREACHED = { kind: 'throttled', unwritten: true };

async function start(
  t: TestContext,
  { url, route, timeoutMs = 5_000 }: { url: string; route: Route; timeoutMs?: number },
) {
  const proxy = await startHttpProxy(route);
  const live = { url, version: 'v25.0', proxyUrl: proxy.url };
  const provider = createWhatsAppProvider({ live, timeoutMs, connections: 2 });
  t.after(async () => {
    await provider.close();
    proxy.close();
  });
  const transmit = async () => {
    const outcome = await provider.transmit(SENDER, message('msg_1'));
    const detail = 'error' in outcome ? outcome.error.detail : undefined;
    const reached = outcome.kind === 'throttled' ? { kind: outcome.kind, unwritten: outcome.unwritten } : outcome;
    return { ...reached, ...(detail !== undefined && { detail }) };
  };
  return { transmit, asked: () => proxy.asked.map(({ authority }) => authority) };
}

describe('the provider behind a proxy', () => {
  it('is asked for by its name, and its connections are used again', async (t) => {
    const server = await startWireServer((socket, { id }) => socket.write(accepted(id)));
    t.after(() => server.close());
    const { transmit, asked } = await start(t, { url: 'http://provider.example', route: () => server });
    for (let n = 0; n < 5; n += 1) assert.equal((await transmit()).kind, 'accepted');
    assert.deepEqual(asked(), ['provider.example:80']);
    assert.match(
      server.requests[0]?.head ?? '',
      /^POST \/v25\.0\/\d+\/messages HTTP\/1\.1\r\nhost: provider\.example\r\n/i,
    );
  });

  it('is spoken to by TLS from end to end, and in HTTP/1.1 also where it would rather speak HTTP/2', async (t) => {
    const answer = ({ socket }: TlsConnection) => socket.write(accepted('msg_1'));
    const server = await startTlsServer(answer, { ALPNProtocols: ['h2', 'http/1.1'] });
    t.after(() => server.close());
    const secure = await start(t, { url: 'https://shop.example', route: () => server });
    assert.equal((await secure.transmit()).kind, 'accepted');
    assert.deepEqual(secure.asked(), ['shop.example:443']);
    const other = await start(t, { url: 'https://other.example', route: () => server });
    const { detail, ...outcome } = await other.transmit();
    assert.deepEqual(outcome, UNREACHED);
    assert.match(detail ?? '', /ERR_TLS_CERT_ALTNAME_INVALID/);
  });

  it('keeps a connection for longer than it may take to make one', async (t) => {
    const timeoutMs = 1_000;
    const server = await startTlsServer(({ socket }) => {
      socket.write(accepted('msg_1'));
      socket.on('data', () => socket.write(accepted('msg_1')));
    });
    t.after(() => server.close());
    const { transmit, asked } = await start(t, { url: 'https://shop.example', route: () => server, timeoutMs });
    assert.equal((await transmit()).kind, 'accepted');
    const madeMs = performance.now();
    await until(() => performance.now() - madeMs > timeoutMs);
    assert.equal((await transmit()).kind, 'accepted');
    assert.deepEqual(asked(), ['shop.example:443']);
  });

  it('is spoken to by TLS within the TLS of a proxy that wants it', async (t) => {
    const server = await startTlsServer(({ socket }) => socket.write(accepted('msg_1')));
    const proxy = await startTlsServer(({ socket }) => {
      const far = connect(server.port, '127.0.0.1', () => socket.write('HTTP/1.1 200 Connected\r\n\r\n'));
      socket.pipe(far.on('error', () => socket.destroy())).pipe(socket);
    });
    const live = { url: 'https://shop.example', version: 'v25.0', proxyUrl: proxy.url };
    const provider = createWhatsAppProvider({ live, timeoutMs: 5_000, connections: 1 });
    t.after(async () => {
      await provider.close();
      proxy.close();
      server.close();
    });
    assert.equal((await provider.transmit(SENDER, message('msg_1'))).kind, 'accepted');
  });

  it('has certainly got nothing where the proxy refuses, or does not answer in time', async (t) => {
    const refused = await start(t, { url: 'https://provider.example', route: () => ({ refuse: 407 }) });
    const { detail, ...outcome } = await refused.transmit();
    assert.deepEqual(outcome, UNREACHED);
    assert.match(detail ?? '', /PROXY_407/);
    const silent = await start(t, { url: 'https://provider.example', route: () => undefined, timeoutMs: 500 });
    const { detail: late, ...lateOutcome } = await silent.transmit();
    assert.deepEqual(lateOutcome, UNREACHED);
    assert.match(late ?? '', /UND_ERR_CONNECT_TIMEOUT/);
  });

  it('is asked for once where the proxy hangs up, or is a server of pages', async (t) => {
    const gone = await start(t, { url: 'https://provider.example', route: () => ({ refuse: 'hang_up' }) });
    assert.match((await gone.transmit()).detail ?? '', /PROXY_CLOSED/);
    assert.equal(gone.asked().length, 1);
    const pages = await start(t, { url: 'http://provider.example', route: () => ({ refuse: 200 }) });
    assert.match((await pages.transmit()).detail ?? '', /PROXY_200/);
    assert.equal(pages.asked().length, 1);
  });
});

describe('the name', () => {
  for (const where of ['of the provider', 'of the proxy'])
    it(`${where} is looked up once for all connections that wait for it, and again for later ones`, async (t) => {
      const server = await startWireServer((socket, { id }) => socket.write(accepted(id)));
      const proxy = await startHttpProxy(() => server);
      type Tell = (error: null, found: object[]) => void;
      const asked: Tell[] = [];
      t.mock.method(dns, 'lookup', (...[, , tell]: [string, object, Tell]) => void asked.push(tell));
      const of = { url: 'http://provider.example', proxyUrl: `http://proxy.example:${new URL(proxy.url).port}` };
      const live = where === 'of the proxy' ? of : { url: `http://provider.example:${server.port}` };
      const provider = createWhatsAppProvider({
        live: { version: 'v25.0', ...live },
        timeoutMs: 10_000,
        connections: 8,
      });
      t.after(async () => {
        await provider.close();
        proxy.close();
        await server.close();
      });
      /** The name servers are silent until all of them wait. */
      const transmit = async (count: number) => {
        const before = asked.length;
        const outcomes = Array.from({ length: count }, (_, n) => provider.transmit(SENDER, message(`msg_${n}`)));
        await until(() => asked.length > before);
        await nextTurn();
        for (const tell of asked.slice(before)) tell(null, [{ address: '127.0.0.1', family: 4 }]);
        for (const { kind } of await Promise.all(outcomes)) assert.equal(kind, 'accepted');
        return asked.length - before;
      };
      assert.equal(await transmit(3), 1);
      // Three go by the connections that stand.
      assert.equal(await transmit(5), 1);
    });
});
