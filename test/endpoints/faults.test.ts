import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { readEndpointUrl } from '../../src/endpoints/address/url.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Harness, startHarness, type TestEndpoint } from './harness.ts';
import { type Answering, type Receiver, startReceiver } from './receiver.ts';

/** Two attempts wait this long. All others must end before it, on a busy machine too. */
const TIMEOUT_MS = 2_000;
const MEGABYTE = Buffer.alloc(1 << 20, 'x');

describe('an attempt at an endpoint in trouble', () => {
  let harness: Harness;
  const receivers: { close(): Promise<void> }[] = [];
  const names = new Map<string, string[][]>();
  before(async () => {
    harness = await startHarness({
      timeoutMs: TIMEOUT_MS,
      // Each look-up of a name gets the next of its answers, and then always the last one.
      resolve: async (hostname) => {
        const answers = names.get(hostname);
        const addresses = answers !== undefined && answers.length > 1 ? answers.shift() : answers?.[0];
        if (addresses === undefined) throw new Error('There is no such name');
        return addresses;
      },
    });
  });
  after(async () => {
    await harness.stop();
    await Promise.all(receivers.map((receiver) => receiver.close()));
  });

  async function attemptAt(url: string, mode: 'live' | 'test' = 'test') {
    const endpoint = await harness.addEndpoint(url, { accountId: newId(), mode });
    await harness.record(1, { accountId: endpoint.accountId, mode });
    return { endpoint, attempt: await firstOf(endpoint) };
  }
  const firstOf = async (endpoint: TestEndpoint) => {
    const [attempt] = await harness.attemptsOf(endpoint, 1);
    assert.ok(attempt);
    return attempt;
  };
  async function receive(answer: Answering): Promise<Receiver> {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    return receiver;
  }
  /** A server that does not speak HTTP. */
  async function listenRaw(onSocket: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      onSocket(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    receivers.push({
      close: async () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    return (server.address() as AddressInfo).port;
  }

  it('is a timeout where no answer comes', async () => {
    const { url } = await receive(() => undefined);
    const { attempt } = await attemptAt(url);
    assert.deepEqual([attempt.outcome, attempt.error, attempt.http_status], ['failed', 'timeout', null]);
    assert.ok(attempt.duration_ms >= TIMEOUT_MS - 5 && attempt.duration_ms < 10 * TIMEOUT_MS);
  });

  it('is a timeout where the answer trickles, and tells what came of it', async () => {
    const { url } = await receive((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const { attempt } = await attemptAt(url);
    assert.deepEqual([attempt.outcome, attempt.error, attempt.http_status], ['failed', 'timeout', 200]);
    assert.match(attempt.answer ?? '', /^\.+$/);
  });

  it('stops reading an answer that is too large', async () => {
    let written = 0;
    const { url } = await receive((response) => {
      response.writeHead(200);
      const more = () => {
        while (written < 1 << 30 && !response.destroyed) {
          written += MEGABYTE.length;
          if (!response.write(MEGABYTE)) return void response.once('drain', more);
        }
      };
      more();
    });
    const { attempt } = await attemptAt(url);
    assert.deepEqual([attempt.outcome, attempt.error, attempt.http_status], ['failed', 'too_large', 200]);
    assert.equal(attempt.answer?.length, 2_048);
    assert.ok(written < 64 << 20, `${written} bytes were taken`);
  });

  it('takes headers of nearly 64 KiB beside a body of 64 KiB, and no byte more of body', async () => {
    const attemptOf = async (bytes: number) => {
      const port = await listenRaw((socket) => {
        const headers = `content-length: ${bytes}\r\n${`x-filler: ${'x'.repeat(8_000)}\r\n`.repeat(8)}`;
        socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n${'x'.repeat(bytes)}`);
      });
      const { attempt } = await attemptAt(`http://127.0.0.1:${port}/`);
      return [attempt.outcome, attempt.error];
    };
    assert.deepEqual(await attemptOf(65_536), ['succeeded', null]);
    assert.deepEqual(await attemptOf(65_537), ['failed', 'too_large']);
  });

  it('stops reading headers that are too large', async () => {
    const port = await listenRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${`x-filler: ${'x'.repeat(8_000)}\r\n`.repeat(100)}\r\n`);
    });
    const { attempt } = await attemptAt(`http://127.0.0.1:${port}/`);
    assert.equal(attempt.error, 'too_large');
  });

  it('is closed where the connection breaks before the answer is whole', async () => {
    const silent = await receive((_response, _place, request) => request.socket.destroy());
    assert.equal((await attemptAt(silent.url)).attempt.error, 'closed');
    const half = await receive((response, _place, request) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => request.socket.destroy());
    });
    const { attempt } = await attemptAt(half.url);
    assert.deepEqual([attempt.outcome, attempt.error, attempt.http_status], ['failed', 'closed', 200]);
  });

  it('tells nothing of what came before the answer, as if only the answer had come', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\nretry-after: 60\r\n\r\n';
    const broken = await listenRaw((socket) => socket.once('data', () => socket.end(hints)));
    const { attempt } = await attemptAt(`http://127.0.0.1:${broken}/`);
    assert.deepEqual([attempt.error, attempt.http_status, attempt.answer], ['closed', null, null]);
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
    const whole = await listenRaw((socket) => socket.once('data', () => socket.write(hints + answer)));
    const { attempt: answered } = await attemptAt(`http://127.0.0.1:${whole}/`);
    assert.deepEqual([answered.outcome, answered.http_status, answered.answer], ['succeeded', 200, 'ok']);
  });

  it('is closed where an answer begins with a 100 that nobody asked for', async () => {
    const answer = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n';
    const port = await listenRaw((socket) => socket.once('data', () => socket.write(answer)));
    const { attempt } = await attemptAt(`http://127.0.0.1:${port}/`);
    assert.deepEqual([attempt.error, attempt.http_status, attempt.answer], ['closed', null, null]);
  });

  it('is closed where something answers that is not HTTP', async () => {
    const port = await listenRaw((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    assert.equal((await attemptAt(`http://127.0.0.1:${port}/`)).attempt.error, 'closed');
  });

  it('is refused where nobody listens', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    assert.equal((await attemptAt(receiver.url)).attempt.error, 'refused');
  });

  it('is a fault of TLS where the other side does not speak it', async () => {
    const { url } = await receive((response) => response.end());
    assert.equal((await attemptAt(url.replace('http:', 'https:'))).attempt.error, 'tls');
  });

  it('is a fault of DNS where the name has no address', async () => {
    const { attempt } = await attemptAt('https://nowhere.example/', 'live');
    assert.deepEqual([attempt.error, attempt.http_status], ['dns', null]);
  });

  it('does not connect where a name leads to an address that is not public, also among others', async () => {
    const { url, received } = await receive((response) => response.end());
    const { port } = new URL(url);
    names.set('inside.example', [['127.0.0.1']]);
    names.set('both.example', [['93.184.216.34', '127.0.0.1']]);
    names.set('mapped.example', [['::ffff:7f00:1']]);
    names.set('metadata.example', [['169.254.169.254']]);
    for (const name of ['inside', 'both', 'mapped', 'metadata']) {
      const { attempt } = await attemptAt(`https://${name}.example:${port}/`, 'live');
      assert.equal(attempt.error, 'address_refused', name);
    }
    names.set('private.example', [['10.1.2.3']]);
    assert.equal((await attemptAt('https://private.example/', 'test')).attempt.error, 'address_refused');
    assert.equal(received.length, 0);
  });

  it('looks a name up once and connects to what it checked, so a name that changes its address gains nothing', async () => {
    const { url, received } = await receive((response) => response.writeHead(200, { connection: 'close' }).end());
    const { port } = new URL(url);
    names.set('moving.example', [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1', '10.0.0.1'], ['never.asked']]);
    const { endpoint, attempt } = await attemptAt(`http://moving.example:${port}/`);
    assert.equal(attempt.outcome, 'succeeded');
    assert.equal(names.get('moving.example')?.length, 3);
    for (const [place, left] of [2, 1].entries()) {
      await harness.record(1, { accountId: endpoint.accountId });
      const attempts = await harness.attemptsOf(endpoint, place + 2);
      assert.equal(attempts.at(-1)?.error, 'address_refused');
      assert.equal(names.get('moving.example')?.length, left);
    }
    assert.equal(received.length, 1);
  });

  it('does not connect to a literal address that the rules of today refuse', async () => {
    for (const url of ['https://127.0.0.1/', 'http://example.com/', 'https://[::ffff:10.0.0.1]/', 'https://localhost/'])
      assert.equal((await attemptAt(url, 'live')).attempt.error, 'address_refused', url);
    const { url, received } = await receive((response) => response.end());
    assert.equal((await attemptAt(url)).attempt.outcome, 'succeeded');
    assert.equal((await attemptAt(url, 'live')).attempt.error, 'address_refused', 'also after a test endpoint there');
    assert.equal(received.length, 1);
  });

  it('ends with a word for every URL that may stand there, however odd', async () => {
    const { port } = new URL((await receive((response) => response.end())).url);
    const hosts = [
      'a..b',
      '-',
      'a.',
      `${'a'.repeat(70)}.example`,
      `${'a.'.repeat(126)}b`,
      'xn--',
      '_',
      'a_b',
      '1.2.3.4.5.example',
    ];
    const paths = ['/a"b', "/'", '/{}|', '/%00', '/%zz', '/ä€😀', '/?a=[1]&b=%', '/?ä"<>', '//x//', '/..//..;'];
    for (const host of hosts) names.set(host, [['127.0.0.1']]);
    const urls = [
      ...hosts.map((host) => `https://${host}:${port}/`),
      ...paths.map((path) => `http://127.0.0.1:${port}${path}`),
    ];
    const taken = urls.filter((url) => readEndpointUrl(url, true).kind === 'target');
    assert.ok(taken.length > 12);
    for (const url of taken) {
      const { attempt } = await attemptAt(url);
      assert.ok(attempt.outcome === 'succeeded' || attempt.error !== null, url);
    }
  });
});
