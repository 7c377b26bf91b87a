import assert from 'node:assert/strict';
import { once } from 'node:events';
import type net from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { heldBytes } from '../../../../test/support/garbage.ts';
import type { Provider, TransmitOutcome } from '../../port.ts';
import { createWhatsAppProvider } from './client.ts';
import {
  accepted,
  http,
  message,
  type ReadRequest,
  reset,
  SENDER,
  startWireServer,
  type WireServer,
} from './test-servers.ts';

/** What a call may take in a test that stands still for as long. */
const STOOD_STILL_MS = 600;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('transmit', () => {
  it('posts the message once, with the token, to the number of the sender', async () => {
    const { server, provider } = await start((socket, { id }) => socket.write(accepted(id)), { path: '/graph/' });
    const outcome = await provider.transmit({ ...SENDER, phoneNumberId: '10/55?' }, message('msg_1'));
    assert.deepEqual(outcome, { kind: 'accepted', providerMessageId: 'wamid.msg_1', held: false });
    const [request, ...more] = server.requests;
    assert.deepEqual(more, []);
    assert.match(request?.head ?? '', /^POST \/graph\/v25\.0\/10%2F55%3F\/messages HTTP\/1\.1\r\n/);
    assert.match(request?.head ?? '', /\r\nauthorization: Bearer a-secret-token\r\n/);
    assert.match(request?.head ?? '', /\r\ncontent-type: application\/json\r\n/);
    assert.match(request?.head ?? '', /\r\naccept-encoding: identity\r\n/, 'an answer that is packed cannot be read');
    assert.equal(JSON.parse(request?.body ?? '').to, '+447700900123');
  });

  it('makes the body of a message that waits for a connection only when there is one', async () => {
    const { server, provider } = await start(() => {}, { timeoutMs: 60_000 });
    const text = { body: 'x'.repeat(1 << 20), preview_url: false };
    const content = { type: 'text', text } as const;
    const before = heldBytes();
    // As the recipients of one request do, they share the content.
    for (let n = 0; n < 100; n += 1) void provider.transmit(SENDER, { ...message(`msg_${n}`), content });
    while (server.requests.length === 0) await nextTurn();
    const held = heldBytes() - before;
    assert.ok(held < 30 << 20, `${held} bytes`);
  });

  it('tells that a message is held, and the user id of the person', async () => {
    const body = (status: string) =>
      JSON.stringify({
        contacts: [{ input: '+447700900123', user_id: 'GB.1349' }],
        messages: [{ id: 'wamid.1', message_status: status }],
      });
    for (const [status, held] of [
      ['accepted', false],
      ['held_for_quality_assessment', true],
      ['paused', true],
    ] as const) {
      assert.deepEqual(await transmitTo((socket) => socket.write(http(200, body(status)))), {
        kind: 'accepted',
        providerMessageId: 'wamid.1',
        held,
        providerUserId: 'GB.1349',
      });
    }
    const strange = '{"contacts":[{"user_id":"nobody"}],"messages":[{"id":"wamid.1"}]}';
    assert.ok(!('providerUserId' in (await transmitTo((socket) => socket.write(http(200, strange))))));
  });

  const answers: [string, string, string, string][] = [
    ['an error code with HTTP 400', http(400, '{"error":{"code":131047}}'), 'refused', 'window_closed'],
    ['an error code with HTTP 503', http(503, '{"error":{"code":131016}}'), 'throttled', 'provider_unavailable'],
    ['an error code with HTTP 200', http(200, '{"error":{"code":190}}'), 'refused', 'sender_unauthorized'],
    ['HTTP 429 without a code', http(429, '', 'retry-after: 7\r\n'), 'throttled', 'throughput_limited'],
    ['HTTP 404 without a code', http(404, '<html>no</html>'), 'refused', 'provider_rejected'],
    ['HTTP 408', http(408, ''), 'unknown', 'outcome_unknown'],
    ['HTTP 500 with a page', http(500, '<html>sorry</html>'), 'unknown', 'outcome_unknown'],
    ['HTTP 500 with an id', http(500, '{"messages":[{"id":"wamid.1"}]}'), 'unknown', 'outcome_unknown'],
    ['HTTP 200 without an id', http(200, '{"messages":[{}]}'), 'unknown', 'outcome_unknown'],
    ['an id that is no text', http(200, '{"messages":[{"id":7}]}'), 'unknown', 'outcome_unknown'],
    ['an id with a control character', http(200, '{"messages":[{"id":"a\\u0000"}]}'), 'unknown', 'outcome_unknown'],
    ['an id of 257 characters', http(200, `{"messages":[{"id":"${'a'.repeat(257)}"}]}`), 'unknown', 'outcome_unknown'],
    ['broken JSON', http(200, '{"messages":[{"id":"wamid.1"'), 'unknown', 'outcome_unknown'],
    ['an empty body', http(200, ''), 'unknown', 'outcome_unknown'],
    ['what is not HTTP', 'hello\r\n\r\n', 'unknown', 'outcome_unknown'],
  ];
  for (const [what, answer, kind, code] of answers) {
    it(`makes ${kind} (${code}) of ${what}`, async () => {
      assert.deepEqual(kindAndCode(await transmitTo((socket) => socket.write(answer))), [kind, code]);
    });
  }

  it('tells after how many seconds the provider wants to be asked again', async () => {
    const outcome = await transmitTo((socket) => socket.write(http(429, '', 'Retry-After: 7\r\n')));
    assert.equal(outcome.kind === 'throttled' && outcome.error.retry_after_seconds, 7);
  });

  it('never follows a redirect', async () => {
    const answer = http(307, '', 'location: /elsewhere\r\n');
    const { server, provider } = await start((socket) => socket.write(answer));
    const outcome = await provider.transmit(SENDER, message('msg_1'));
    assert.deepEqual(kindAndCode(outcome), ['unknown', 'outcome_unknown']);
    assert.equal(server.requests.length, 1);
  });

  it('reads an answer that ends with the connection, and one after an early hint', async () => {
    const body = '{"messages":[{"id":"wamid.1"}]}';
    const toTheEnd = await transmitTo((socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${body}`));
    assert.equal(toTheEnd.kind, 'accepted');
    const hinted = await transmitTo((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${http(200, body)}`));
    assert.equal(hinted.kind, 'accepted');
  });

  const breaks: [string, (socket: net.Socket) => void][] = [
    ['a reset', (socket) => reset(socket)],
    ['a closed connection', (socket) => socket.end()],
    ['half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
    ['half a body', (socket) => socket.end(accepted('msg_1').slice(0, -9))],
    ['half a body and a reset', (socket) => socket.write(accepted('msg_1').slice(0, -9), () => reset(socket))],
  ];
  for (const [what, break_] of breaks) {
    it(`cannot tell after ${what}`, async () => {
      assert.deepEqual(
        await transmitTo(break_),
        unknown("The connection broke before the provider's answer was complete"),
      );
    });
  }

  it('cannot tell after an answer that is too large, and reads no more of it', async () => {
    const outcome = await transmitTo((socket) => socket.write(http(200, ' '.repeat(10 * 1024 * 1024))));
    assert.deepEqual(outcome, unknown("The provider's answer was too large to be read"));
  });

  it('cannot tell after the time is over, also while the answer trickles in', async () => {
    const late = unknown('The provider did not answer in time');
    assert.deepEqual(await transmitTo(() => {}, { timeoutMs: 150 }), late);
    let drip: NodeJS.Timeout | undefined;
    const trickle = (socket: net.Socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
      drip = setInterval(() => socket.write(' '), 20);
    };
    assert.deepEqual(await transmitTo(trickle, { timeoutMs: 150 }), late);
    clearInterval(drip);
  });

  it('reads an answer that came in time although this process stood still beyond it', async () => {
    const answered = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(ANSWERING_SERVER, { eval: true, workerData: answered });
    closing.push(async () => void (await worker.terminate()));
    const [port] = await once(worker, 'message');
    const provider = connect(`http://127.0.0.1:${String(port)}`, { timeoutMs: STOOD_STILL_MS });
    const transmitting = provider.transmit(SENDER, message('msg_1'));
    await once(worker, 'message');
    Atomics.wait(answered, 0, 0);
    Atomics.wait(answered, 0, 1, STOOD_STILL_MS);
    assert.equal((await transmitting).kind, 'accepted');
  });

  it('is certain that nothing was taken where no connection could be made', async () => {
    const { server } = await start(() => {});
    await server.close();
    const refused = await connect(server.url).transmit(SENDER, message('msg_1'));
    assert.deepEqual(kindAndCode(refused), ['throttled', 'provider_unavailable']);
    assert.ok(refused.kind === 'throttled' && refused.unwritten);
    const nameless = await connect('http://nonexistent.invalid').transmit(SENDER, message('msg_1'));
    assert.deepEqual(kindAndCode(nameless), ['throttled', 'provider_unavailable']);
  });

  it('is certain that nothing was taken where TLS fails', async () => {
    const net = await import('node:net');
    const plain = net.createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 400 Bad\r\n\r\n'));
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    closing.push(async () => void plain.close());
    const address = plain.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const outcome = await connect(`https://127.0.0.1:${port}`).transmit(SENDER, message('msg_1'));
    assert.deepEqual(kindAndCode(outcome), ['throttled', 'provider_unavailable']);
  });

  it('sends test mode to the sandbox only, and nowhere without one', async () => {
    const live = await start((socket, { id }) => socket.write(accepted(id)));
    const sandbox = await start((socket, { id }) => socket.write(accepted(id)));
    const address = (server: WireServer) => ({ url: server.url, version: 'v25.0' });
    const limits = { timeoutMs: 5_000, connections: 2 };
    const both = createWhatsAppProvider({ live: address(live.server), sandbox: address(sandbox.server), ...limits });
    closing.push(() => both.close());
    assert.equal((await both.transmit({ ...SENDER, mode: 'test' }, message('msg_1'))).kind, 'accepted');
    assert.deepEqual([live.server.requests.length, sandbox.server.requests.length], [0, 1]);
    await assert.rejects(live.provider.transmit({ ...SENDER, mode: 'test' }, message('msg_1')));
    assert.equal(live.server.requests.length, 0);
  });

  it('tells neither the token nor the number that the provider repeats', async () => {
    const echo = (socket: net.Socket, { head, body }: ReadRequest) =>
      socket.write(http(400, JSON.stringify({ error: { code: 100, message: head, error_data: { details: body } } })));
    const repeat = (socket: net.Socket) =>
      socket.write(http(400, `{"error":{"code":190,"message":"No such token: ${SENDER.accessToken}"}}`));
    for (const answer of [echo, repeat]) {
      const outcome = JSON.stringify(await transmitTo(answer));
      assert.ok(!/secret|7700900123|447700/.test(outcome), outcome);
    }
  });

  it('fails loudly for a token that cannot stand in a header', async () => {
    const { server, provider } = await start((socket, { id }) => socket.write(accepted(id)));
    const sender = { ...SENDER, accessToken: 'a\r\nx: y' };
    await assert.rejects(provider.transmit(sender, message('msg_1')), /invalid authorization header/);
    assert.equal((await provider.transmit(SENDER, message('msg_2'))).kind, 'accepted');
    assert.deepEqual(
      server.requests.map(({ id }) => id),
      ['msg_2'],
    );
  });
});

describe('the deadline of a transmit', () => {
  it('prevents everything if it came before', async () => {
    const { server, provider } = await start((socket, { id }) => socket.write(accepted(id)));
    const outcome = await provider.transmit(SENDER, message('msg_1'), AbortSignal.abort());
    assert.deepEqual(outcome, { kind: 'throttled', error: { code: 'not_attempted' }, unwritten: true });
    assert.equal(server.connections.made, 0);
  });

  it('prevents the writing while the connection is being made', async () => {
    const { server, provider } = await start((socket, { id }) => socket.write(accepted(id)));
    const controller = new AbortController();
    const transmitting = provider.transmit(SENDER, message('msg_1'), controller.signal);
    controller.abort();
    assert.deepEqual(kindAndCode(await transmitting), ['throttled', 'not_attempted']);
    assert.equal((await provider.transmit(SENDER, message('msg_2'))).kind, 'accepted');
    assert.deepEqual(
      server.requests.map(({ id }) => id),
      ['msg_2'],
    );
  });

  it('changes nothing once the request was written', async () => {
    const controller = new AbortController();
    const { provider } = await start((socket, { id }) => {
      controller.abort();
      setImmediate(() => socket.write(accepted(id)));
    });
    assert.equal((await provider.transmit(SENDER, message('msg_1'), controller.signal)).kind, 'accepted');
  });

  it('gives an answer that is not there yet more time than a call has', async () => {
    const controller = new AbortController();
    const answerLate: Answering = (socket, { id }) => {
      controller.abort();
      setTimeout(() => socket.write(accepted(id)), 600);
    };
    const { provider } = await start(answerLate, { timeoutMs: 400 });
    assert.equal((await provider.transmit(SENDER, message('msg_1'), controller.signal)).kind, 'accepted');
  });
});

/** Answers what it has read after it has told so, and tells in the shared memory that it has answered. */
const ANSWERING_SERVER = `
  const { parentPort, workerData: answered } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => socket.once('data', () => {
    parentPort.postMessage('read');
    socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: 31\\r\\n\\r\\n{"messages":[{"id":"wamid.1"}]}', () => {
      Atomics.store(answered, 0, 1);
      Atomics.notify(answered, 0);
    });
  }));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

function unknown(detail: string): TransmitOutcome {
  return { kind: 'unknown', error: { code: 'outcome_unknown', detail } };
}

function kindAndCode(outcome: TransmitOutcome): [string, string | undefined] {
  return [outcome.kind, outcome.kind === 'accepted' ? undefined : outcome.error.code];
}

type Answering = (socket: net.Socket, request: ReadRequest) => void;

async function transmitTo(answer: Answering, limits?: { timeoutMs: number }): Promise<TransmitOutcome> {
  const { provider } = await start(answer, limits);
  return provider.transmit(SENDER, message('msg_1'));
}

async function start(answer: Answering, { path = '', ...limits }: { path?: string; timeoutMs?: number } = {}) {
  const server = await startWireServer(answer);
  closing.push(() => server.close());
  return { server, provider: connect(server.url + path, limits) };
}

function connect(url: string, { timeoutMs = 5_000 }: { timeoutMs?: number } = {}): Provider {
  const provider = createWhatsAppProvider({ live: { url, version: 'v25.0' }, timeoutMs, connections: 1 });
  closing.push(() => provider.close());
  return provider;
}
