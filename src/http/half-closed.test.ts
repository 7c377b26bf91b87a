import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';

/** Longer than a send takes, and far shorter than a reader may wait. */
const QUICKLY_MS = 20_000;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

/** As `nc -N` does: it writes its request and shuts down that side at once; then it reads to the end. */
function askAndShutDown(method: string, path: string, body = ''): Promise<string> {
  const headers = ['host: a', `authorization: Bearer ${gateway.testKey}`, 'content-type: application/json'];
  const head = [`${method} ${path} HTTP/1.1`, ...headers, `content-length: ${Buffer.byteLength(body)}`].join('\r\n');
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(answer));
    socket.end(`${head}\r\n\r\n${body}`);
  });
}

describe('a caller that shuts down its side of the connection behind its request', () => {
  it('gets the answer of a send', async () => {
    const send = { to: '+447700900123', type: 'text', text: { body: 'Your parcel is here' } };
    const answer = await askAndShutDown('POST', '/api/v1/messages/send', JSON.stringify(send));
    assert.match(answer, /^HTTP\/1.1 200 .*"accepted_count":1/s);
  });

  it('gets the answer of a call that fails', async () => {
    assert.match(await askAndShutDown('GET', '/api/v1/messages/msg_none'), /^HTTP\/1.1 404 .*"code":"not_found"/s);
  });

  for (const path of ['/api/v1/events?wait=30', '/api/v1/events/stream'])
    it(`is not waited for by ${path}: it may be gone`, async () => {
      const startedMs = performance.now();
      const answer = await askAndShutDown('GET', path);
      assert.match(answer, /^HTTP\/1.1 200 /);
      assert.ok(performance.now() - startedMs < QUICKLY_MS);
    });
});
