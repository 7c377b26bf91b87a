import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { heldBytes } from '../../test/support/garbage.ts';
import { until } from '../../test/support/until.ts';
import { ApiError } from '../kernel/errors.ts';
import { createReadBody, type ReadBody } from './read-body.ts';

const BYTES_MAX = 1 << 20;

interface Outcome {
  name: string;
  code: string | null;
  body: Buffer | undefined;
}

describe('bodies that are on their way', () => {
  let read: ReadBody;
  const outcomes: Outcome[] = [];
  /** The server's side of each request's connection. */
  const begun = new Map<string, Socket>();
  const sockets: Socket[] = [];
  const server = createServer((incoming, response) => {
    begun.set(nameOf(incoming), incoming.socket);
    read(incoming, BYTES_MAX, (error, body) => {
      outcomes.push({ name: nameOf(incoming), code: error instanceof ApiError ? error.code : null, body });
      if (nameOf(incoming) !== 'unanswered') response.end();
    });
  });
  const nameOf = ({ url }: IncomingMessage) => url?.slice(1) ?? '';
  const codeOf = (name: string) => outcomes.find((outcome) => outcome.name === name)?.code;
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  beforeEach(() => {
    outcomes.length = 0;
    begun.clear();
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** Begins a request and writes some of its body, which the server has read when this returns, unless it has refused the request. */
  async function begin(name: string, framing: string, some: string | Uint8Array): Promise<Socket> {
    const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write(`POST /${name} HTTP/1.1\r\nhost: a\r\n${framing}\r\n\r\n`);
    await new Promise<void>((resolve) => void socket.write(some, () => resolve()));
    const isRead = () => (begun.get(name)?.bytesRead ?? 0) >= socket.bytesWritten;
    await until(() => begun.has(name) && (isRead() || codeOf(name) !== undefined));
    return socket;
  }

  it('are read as they came, however they are parted', async () => {
    read = createReadBody();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, place) => place % 251));
    const { port } = server.address() as AddressInfo;
    for (const [name, size] of Object.entries({ whole: bytes.length, pieces: 70_001, small: 997 })) {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', path: `/${name}` });
      for (let from = 0; from < bytes.length; from += size) sent.write(bytes.subarray(from, from + size));
      sent.end();
      await once(sent, 'response');
      assert.ok(outcomes.at(-1)?.body?.equals(bytes), name);
    }
    request({ port, host: '127.0.0.1', method: 'POST', path: '/empty' }).end();
    await until(() => codeOf('empty') === null);
    assert.equal(outcomes.at(-1)?.body?.length, 0);
  });

  it('take their length of memory, also if each byte is a chunk of its own', async () => {
    read = createReadBody();
    const chunks = '1\r\na\r\n'.repeat(BYTES_MAX - 1);
    const arrived = once(server, 'connection');
    const before = heldBytes();
    await begin('dust', 'transfer-encoding: chunked', chunks);
    const [socket] = await arrived;
    await until(() => socket.bytesRead > chunks.length);
    const grown = heldBytes() - before;
    assert.ok(grown < 100 << 20, `${grown >> 20} MiB`);
  });

  it('are too large as soon as it is known', async () => {
    read = createReadBody();
    await begin('announced', `content-length: ${BYTES_MAX + 1}`, '');
    await begin(
      'chunked',
      'transfer-encoding: chunked',
      `${(BYTES_MAX + 1).toString(16)}\r\n${'a'.repeat(BYTES_MAX + 1)}`,
    );
    await until(() => codeOf('announced') === 'payload_too_large' && codeOf('chunked') === 'payload_too_large');
  });

  it('share one room, and the one that needs longest makes place', async () => {
    read = createReadBody(3 * BYTES_MAX);
    const most = Buffer.alloc(BYTES_MAX - 1);
    for (const name of ['first', 'second', 'third']) await begin(name, `content-length: ${BYTES_MAX}`, most);
    await begin('quick', `content-length: ${BYTES_MAX}`, Buffer.alloc(BYTES_MAX));
    await until(() => codeOf('quick') === null && codeOf('first') === 'unavailable');
    assert.deepEqual([codeOf('second'), codeOf('third')], [undefined, undefined]);
  });

  it('that were given up take no room any more, whatever still comes of them', async () => {
    read = createReadBody(2 * BYTES_MAX);
    const arrived = once(server, 'connection');
    const half = Buffer.alloc(BYTES_MAX / 2);
    const socket = await begin('unanswered', `content-length: ${BYTES_MAX}`, half);
    const [taken] = await arrived;
    await begin('long', `content-length: ${BYTES_MAX}`, Buffer.alloc(BYTES_MAX - 1));
    await begin('quick', `content-length: ${BYTES_MAX}`, Buffer.alloc(BYTES_MAX));
    await until(() => codeOf('quick') === null && codeOf('unanswered') === 'unavailable');
    socket.write(half.subarray(1));
    await until(() => taken.bytesRead >= 2 * half.length);
    await begin('after', `content-length: ${BYTES_MAX}`, Buffer.alloc(BYTES_MAX));
    await until(() => codeOf('after') === null);
    assert.equal(codeOf('long'), undefined);
  });

  it('hold little where a length is announced and does not come', async () => {
    read = createReadBody(BYTES_MAX / 2);
    await begin('announced', `content-length: ${BYTES_MAX}`, 'a');
    await begin('small', 'content-length: 1', 'a');
    await until(() => codeOf('small') === null);
    assert.equal(codeOf('announced'), undefined);
  });

  it('that break off leave their place', async () => {
    read = createReadBody(2 * BYTES_MAX);
    const most = Buffer.alloc(BYTES_MAX - 1);
    for (const name of ['a', 'b', 'c', 'd']) {
      const socket = await begin(name, `content-length: ${BYTES_MAX}`, most);
      socket.destroy();
      await until(() => codeOf(name) === 'malformed_json');
    }
    await begin('whole', `content-length: ${BYTES_MAX}`, Buffer.alloc(BYTES_MAX));
    await until(() => codeOf('whole') === null);
  });
});
