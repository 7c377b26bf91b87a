import assert from 'node:assert/strict';
import { createCipheriv, createHmac } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import tls from 'node:tls';
import { startTlsServer, type TlsConnection, type TlsServerOptions } from '../../../test/support/tls-server.ts';
import { createGuardedAgent } from '../address/guarded-agent.ts';
import { post } from './post.ts';

/** Nothing here is to end by it: the endpoint's records take their time on a machine that is busy with other things. */
const TIMEOUT_MS = 60_000;
const MEBIBYTE = 1 << 20;
const OLD = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' } as const;

async function startEndpoint(t: TestContext, answer: (connection: TlsConnection) => void, options?: TlsServerOptions) {
  const server = await startTlsServer(answer, options);
  const agent = createGuardedAgent(async () => [], { local: true, timeoutMs: TIMEOUT_MS });
  t.after(async () => {
    await agent.destroy();
    server.close();
  });
  return () => post(agent, { origin: server.url, path: '/', headers: {}, body: '{}' }, { timeoutMs: TIMEOUT_MS });
}

it('an endpoint is posted to by TLS, and again on the same connection', async (t) => {
  let connections = 0;
  const postTo = await startEndpoint(t, ({ socket }) => {
    connections += 1;
    const answer = () => socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    socket.on('data', answer);
    answer();
  });
  for (let n = 0; n < 6; n += 1) assert.equal((await postTo()).httpStatus, 204);
  // The second request comes in the moment in which the first one ends.
  assert.ok(connections <= 2, `${connections} connections were made`);
});

it('an endpoint is posted to in HTTP/1.1, also one that would rather speak HTTP/2', async (t) => {
  const answer = ({ socket }: TlsConnection) => socket.write('HTTP/1.1 204 No Content\r\n\r\n');
  const postTo = await startEndpoint(t, answer, { ALPNProtocols: ['h2', 'http/1.1'] });
  assert.equal((await postTo()).httpStatus, 204);
});

it('a fault of TLS after the request ends the attempt at once, and nothing more is taken', async (t) => {
  const closed = Promise.withResolvers<void>();
  const postTo = await startEndpoint(t, ({ below }) => {
    below.on('close', closed.resolve);
    below.write('This is no record of TLS');
  });
  const { httpStatus, error } = await postTo();
  assert.deepEqual({ httpStatus, error }, { httpStatus: null, error: 'tls' });
  await closed.promise;
});

describe('an endpoint is cut off that sends without an end', () => {
  it('records of one byte each', async (t) => {
    let taken = 0;
    const postTo = await startEndpoint(t, ({ socket }) => {
      const sendOn = () =>
        socket.write('\n', (error) => {
          if (error != null) return;
          taken += 1;
          sendOn();
        });
      sendOn();
    });
    assert.equal((await postTo()).error, 'too_large');
    assert.ok(taken < MEBIBYTE / 2, `${taken} bytes were taken`);
  });

  it('handshakes that begin anew', async (t) => {
    Object.assign(tls, { CLIENT_RENEG_LIMIT: Number.POSITIVE_INFINITY });
    let handshakes = 0;
    const postTo = await startEndpoint(
      t,
      ({ socket }) => {
        const again = () =>
          socket.renegotiate({}, (error) => {
            if (error !== null) return;
            handshakes += 1;
            again();
          });
        again();
      },
      OLD,
    );
    assert.equal((await postTo()).error, 'too_large');
    assert.ok(handshakes > 0 && handshakes < 100, `${handshakes} handshakes were made`);
  });

  it('what TLS takes in silence', async (t) => {
    let taken = 0;
    const postTo = await startEndpoint(
      t,
      (connection) => {
        const record = helloRequests(connection);
        // No handshake that is offered is taken up.
        connection.below.unpipe().resume();
        const sendOn = () => {
          const records = Buffer.concat(Array.from({ length: 1_000 }, record));
          connection.below.write(records, (error) => {
            if (error != null) return;
            taken += records.length;
            sendOn();
          });
        };
        sendOn();
      },
      { ...OLD, tapped: true },
    );
    assert.equal((await postTo()).error, 'too_large');
    assert.ok(taken > MEBIBYTE / 2 && taken < 100 * MEBIBYTE, `${taken} bytes were taken`);
  });
});

/**
 * Makes one record after another that asks for a handshake, and that nobody has to answer.
 * https://www.rfc-editor.org/rfc/rfc5246#section-6.3, https://www.rfc-editor.org/rfc/rfc5288#section-3
 */
function helloRequests({ written, keys }: TlsConnection): () => Buffer {
  const [, clientRandom = '', master = ''] = (keys.find((line) => line.startsWith('CLIENT_RANDOM')) ?? '').split(/\s/);
  // Behind the heads of the record and of the message, and the version.
  const serverRandom = Buffer.concat(written).subarray(11, 43);
  const seed = Buffer.concat([Buffer.from('key expansion'), serverRandom, Buffer.from(clientRandom, 'hex')]);
  const mac = (...parts: Buffer[]) =>
    createHmac('sha256', Buffer.from(master, 'hex')).update(Buffer.concat(parts)).digest();
  const first = mac(seed);
  const block = Buffer.concat([mac(first, seed), mac(mac(first), seed)]);
  const [key, salt] = [block.subarray(16, 32), block.subarray(36, 40)];
  // The first record under these keys ended the handshake.
  let sequence = 0n;
  return () => {
    const number = Buffer.alloc(8);
    sequence += 1n;
    number.writeBigUInt64BE(sequence);
    const cipher = createCipheriv('aes-128-gcm', key, Buffer.concat([salt, number]));
    cipher.setAAD(Buffer.concat([number, Buffer.from([22, 3, 3, 0, 4])]));
    const message = cipher.update(Buffer.alloc(4));
    cipher.final();
    return Buffer.concat([Buffer.from([22, 3, 3, 0, 28]), number, message, cipher.getAuthTag()]);
  };
}
