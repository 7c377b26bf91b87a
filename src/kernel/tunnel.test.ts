import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { type Route, startHttpProxy } from '../../test/support/http-proxy.ts';
import { startTlsServer } from '../../test/support/tls-server.ts';
import { until } from '../../test/support/until.ts';
import { openTunnel } from './tunnel.ts';

const TIMEOUT_MS = 30_000;
const TO = { hostname: 'far.example', port: '443', timeoutMs: TIMEOUT_MS };

/** A server of bytes that is not asked for anything in HTTP. */
async function startServer(t: TestContext, serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port; // A server that listens on TCP has one.
}

async function startProxy(t: TestContext, route: Route) {
  const proxy = await startHttpProxy(route);
  t.after(() => proxy.close());
  return proxy;
}

describe('a connection through a proxy', () => {
  it('carries what both sides write, as it is', async (t) => {
    const port = await startServer(t, (socket) => socket.pipe(socket));
    const proxy = await startProxy(t, () => ({ port }));
    const socket = await openTunnel({ ...TO, proxyUrl: proxy.url });
    t.after(() => socket.destroy());
    socket.write('CONNECT is over\r\n\r\n');
    const [echo] = await once(socket, 'data');
    assert.equal(String(echo), 'CONNECT is over\r\n\r\n');
    const authority = 'far.example:443';
    assert.deepEqual(proxy.asked, [{ authority, host: authority, authorization: undefined }]);
  });

  it('loses nothing of a far side that speaks first, in one piece with the answer of the proxy', async (t) => {
    const port = await startServer(t, (socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 Connected\r\n\r\nWelcome'));
    });
    const socket = await openTunnel({ ...TO, proxyUrl: `http://127.0.0.1:${port}` });
    t.after(() => socket.destroy());
    const [words] = await once(socket, 'data');
    assert.equal(String(words), 'Welcome');
  });

  it('is asked for at an IPv6 address as in a URL', async (t) => {
    const proxy = await startProxy(t, () => ({ refuse: 502 }));
    await assert.rejects(openTunnel({ ...TO, hostname: '2001:db8::1', proxyUrl: proxy.url }), { code: 'PROXY_502' });
    assert.equal(proxy.asked[0]?.authority, '[2001:db8::1]:443');
  });

  it('is made by a proxy behind TLS, in HTTP/1.1, and only if the certificate is for the name of the proxy', async (t) => {
    const proxy = await startTlsServer(({ socket }) => socket.write('HTTP/1.1 200 Connected\r\n\r\nWelcome'), {
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    t.after(() => proxy.close());
    const socket = await openTunnel({ ...TO, proxyUrl: proxy.url });
    t.after(() => socket.destroy());
    const [words] = await once(socket, 'data');
    assert.equal(String(words), 'Welcome');
    for (const hostname of [TO.hostname, 'shop.example', '127.0.0.1']) {
      const opened = openTunnel({ ...TO, hostname, proxyUrl: proxy.url.replace('127.0.0.1', 'localhost') });
      await assert.rejects(opened, { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    }
  });

  it('is asked for with the user and the password of the setting, whatever is in them', async (t) => {
    const proxy = await startProxy(t, () => ({ refuse: 407 }));
    const proxyUrl = proxy.url.replace('//', '//gate%40way:p%3A%C3%A4%2Fss@');
    await assert.rejects(openTunnel({ ...TO, proxyUrl }), { code: 'PROXY_407' });
    const [asked] = proxy.asked;
    assert.equal(Buffer.from(asked?.authorization?.split(' ')[1] ?? '', 'base64').toString(), 'gate@way:p:ä/ss');
  });

  it('is none where the proxy refuses, and nothing is left of it', async (t) => {
    const proxy = await startProxy(t, () => ({ refuse: 502 }));
    await assert.rejects(openTunnel({ ...TO, proxyUrl: proxy.url }), { code: 'PROXY_502' });
    await until(async () => (await proxy.open()) === 0);
  });

  it('is none where the proxy does not answer in time, and nothing is left of it', async (t) => {
    const proxy = await startProxy(t, () => undefined);
    const opened = openTunnel({ ...TO, proxyUrl: proxy.url, timeoutMs: 300 });
    await assert.rejects(opened, { code: 'UND_ERR_CONNECT_TIMEOUT' });
    await until(async () => (await proxy.open()) === 0);
  });

  it('is none where the proxy hangs up', async (t) => {
    for (const word of ['', 'HTTP/1.1 200 Conn']) {
      const port = await startServer(t, (socket) => socket.once('data', () => socket.end(word)));
      await assert.rejects(openTunnel({ ...TO, proxyUrl: `http://127.0.0.1:${port}` }), { code: 'PROXY_CLOSED' });
    }
  });

  it('is none where what answers is no proxy', async (t) => {
    const port = await startServer(t, (socket) => socket.end('220 mail.example ESMTP\r\n'));
    await assert.rejects(openTunnel({ ...TO, proxyUrl: `http://127.0.0.1:${port}` }), { name: 'HTTPParserError' });
    await assert.rejects(openTunnel({ ...TO, proxyUrl: 'http://127.0.0.1:1' }), { code: 'ECONNREFUSED' });
  });
});
