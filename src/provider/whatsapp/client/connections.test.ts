import assert from 'node:assert/strict';
import dns from 'node:dns';
import net from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startSlowAcceptor } from '../../../../test/support/slow-acceptor.ts';
import { startTlsServer } from '../../../../test/support/tls-server.ts';
import type { Provider, TransmitOutcome } from '../../port.ts';
import { createWhatsAppProvider } from './client.ts';
import { accepted, http, message, type ReadRequest, reset, SENDER, startWireServer } from './test-servers.ts';

const OTHER = { ...SENDER, accountId: 'another account', phoneNumberId: '42' };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('the connections of the provider', () => {
  it('are used again: bursts of 50 need no more than 50', async () => {
    const { server, provider } = await start(answerSoon, { connections: 58 });
    for (let burst = 0; burst < 4; burst += 1) {
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, n) => provider.transmit(SENDER, message(`msg_${burst}_${n}`))),
      );
      assert.ok(outcomes.every(({ kind }) => kind === 'accepted'));
    }
    assert.equal(server.connections.made, 50);
    assert.equal(server.requests.length, 200);
  });

  it('are looked at before who waits has one: a close that comes with an answer puts the next message in no doubt', async () => {
    const { provider } = await start((socket, { id }) => socket.end(accepted(id)), { connections: 2 });
    const ids = Array.from({ length: 50 }, (_, n) => `msg_${n}`);
    const outcomes = await Promise.all(ids.map((id) => provider.transmit(SENDER, message(id))));
    // One that crosses the next request cannot be seen. Without the look it is every second message.
    const unknown = outcomes.filter(({ kind }) => kind !== 'accepted');
    assert.ok(unknown.length < 10, `${unknown.length} of 50`);
  });

  it('are made as they are needed only', async () => {
    const { server, provider } = await start(answerSoon, { connections: 50 });
    for (let n = 0; n < 20; n += 1) await provider.transmit(SENDER, message(`msg_${n}`));
    assert.equal(server.connections.made, 1);
  });

  it('are never more than allowed: the rest waits its turn', async () => {
    const { server, provider } = await start(answerSoon, { connections: 3 });
    const warned = catchWarnings();
    const { signal: deadline } = new AbortController();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) => provider.transmit(SENDER, message(`msg_${n}`), deadline)),
    );
    assert.ok(outcomes.every(({ kind }) => kind === 'accepted'));
    assert.equal(server.connections.made, 3);
    assert.deepEqual(warned(), [], 'many transmits may share one deadline');
  });

  const floods: [string, (provider: Provider, n: number) => Promise<{ kind: string }>, string][] = [
    [
      "one account's messages, whatever numbers it has",
      (provider, n) => provider.transmit({ ...SENDER, phoneNumberId: String(n) }, message(`msg_${n}`)),
      'accepted',
    ],
    [
      "one account's look-ups of templates, whatever their names",
      (provider, n) => provider.listTemplates(SENDER, '2', `name_${n}`),
      'unavailable',
    ],
  ];
  for (const [what, ask, outcome] of floods)
    it(`are never all held by ${what}: the first message of another finds one free`, async () => {
      const held: (() => void)[] = [];
      const { server, provider } = await start((socket, { id }) => held.push(() => socket.write(accepted(id))), {
        connections: 8,
      });
      const flood = Array.from({ length: 30 }, (_, n) => ask(provider, n));
      await until(() => held.length >= 7);
      const other = provider.transmit(OTHER, message('msg_other'));
      await until(() => held.length === 8);
      assert.equal(server.requests.at(-1)?.id, 'msg_other');
      held.pop()?.();
      assert.equal((await other).kind, 'accepted');
      while (server.requests.length < 31 || held.length > 0) {
        await until(() => held.length > 0);
        held.shift()?.();
      }
      assert.ok((await Promise.all(flood)).every(({ kind }) => kind === outcome));
    });

  it('go first to who holds fewest, and some are kept for who holds none: calls that hang starve no other account', async () => {
    const held: (() => void)[] = [];
    const { server, provider } = await start(
      (socket, { id }) => {
        if (id.startsWith('quick')) socket.write(accepted(id));
        else held.push(() => socket.write(accepted(id)));
      },
      { connections: 16 },
    );
    const accounts = [SENDER, { ...SENDER, accountId: 'hangs too' }];
    const flood = accounts.flatMap((sender, place) =>
      Array.from({ length: 20 }, (_, n) => provider.transmit(sender, message(`hangs_${place}_${n}`))),
    );
    await until(() => held.length === 15);
    const send = (n: number) => provider.transmit(OTHER, message(`quick_${n}`));
    const quick = await Promise.all([1, 2, 3, 4, 5].map(send));
    assert.ok(quick.every(({ kind }) => kind === 'accepted'));
    assert.equal(server.requests.length, 20, 'nothing else was let go');
    while (server.requests.length < 45 || held.length > 0) {
      await until(() => held.length > 0);
      held.shift()?.();
    }
    assert.ok((await Promise.all(flood)).every(({ kind }) => kind === 'accepted'));
  });

  it('are counted also of those who have waited for them: who holds all others gets none of those that are kept', async () => {
    const held: (() => void)[] = [];
    const { server, provider } = await start((socket, { id }) => held.push(() => socket.write(accepted(id))), {
      connections: 8,
    });
    const send = (n: number) => provider.transmit(SENDER, message(`msg_${n}`));
    const flood = Array.from({ length: 14 }, (_, n) => send(n));
    await until(() => held.length === 7);
    for (const answer of held.splice(0)) answer();
    await until(() => held.length === 7);
    flood.push(send(14));
    const other = provider.transmit(OTHER, message('msg_other'));
    await until(() => held.length === 8);
    assert.equal(server.requests.at(-1)?.id, 'msg_other');
    for (const answer of held.splice(0)) answer();
    await until(() => held.length === 1);
    held.shift()?.();
    assert.ok((await Promise.all([other, ...flood])).every(({ kind }) => kind === 'accepted'));
  });

  it('go to one who has waited with the token of that moment, and stay free where the message shall not go any more', async () => {
    const held: (() => void)[] = [];
    const { server, provider } = await start((socket, { id }) => held.push(() => socket.write(accepted(id))));
    const first = provider.transmit(SENDER, message('msg_1'), undefined, async () => undefined);
    const gone = provider.transmit(SENDER, message('msg_2'), undefined, async () => undefined);
    const changed = provider.transmit(SENDER, message('msg_3'), undefined, async () => {
      return { ...SENDER, accessToken: 'a-new-token' };
    });
    await until(() => held.length === 1);
    held.shift()?.();
    assert.equal((await first).kind, 'accepted', 'it has not waited');
    assert.deepEqual(await gone, { kind: 'throttled', error: { code: 'not_attempted' }, unwritten: true });
    await until(() => held.length === 1);
    held.shift()?.();
    assert.equal((await changed).kind, 'accepted');
    assert.deepEqual(
      server.requests.map(({ id, head }) => [id, /bearer (\S+)/i.exec(head)?.[1]]),
      [
        ['msg_1', SENDER.accessToken],
        ['msg_3', 'a-new-token'],
      ],
    );
  });

  it('are waited for by ten thousand at most, and one account leaves places to wait to the others', async () => {
    const held: (() => void)[] = [];
    const answering = (socket: net.Socket, { id }: ReadRequest) => held.push(() => socket.write(accepted(id)));
    const { provider } = await start(answering, { timeoutMs: 60_000 });
    void provider.transmit(SENDER, message('msg_first'));
    const controller = new AbortController();
    for (let n = 0; n < 10_000; n += 1) void provider.transmit(SENDER, message('msg_waits'), controller.signal);
    const last = await provider.transmit(SENDER, message('msg_last'));
    assert.deepEqual(last, { kind: 'throttled', error: { code: 'not_attempted' }, unwritten: true });
    const other = provider.transmit(OTHER, message('msg_other'));
    const answerOne = async () => {
      await until(() => held.length === 1);
      held.shift()?.();
    };
    for (let n = 0; n < 3; n += 1) await answerOne();
    assert.equal((await other).kind, 'accepted');
    await until(() => held.length === 1);
    controller.abort();
    const next = provider.transmit(SENDER, message('msg_next'));
    for (let n = 0; n < 2; n += 1) await answerOne();
    assert.equal((await next).kind, 'accepted', 'and whoever waits no longer leaves the place to the next');
  });

  it('let one who waits for them give up without a byte written', async () => {
    const held: (() => void)[] = [];
    const { server, provider } = await start((socket, { id }) => held.push(() => socket.write(accepted(id))));
    const first = provider.transmit(SENDER, message('msg_1'));
    const controller = new AbortController();
    const second = provider.transmit(SENDER, message('msg_2'), controller.signal);
    const third = provider.transmit(SENDER, message('msg_3'));
    controller.abort();
    assert.deepEqual(await second, { kind: 'throttled', error: { code: 'not_attempted' }, unwritten: true });
    await until(() => held.length === 1);
    held.shift()?.();
    assert.equal((await first).kind, 'accepted');
    await until(() => held.length === 1);
    held.shift()?.();
    assert.equal((await third).kind, 'accepted');
    assert.deepEqual(
      server.requests.map(({ id }) => id),
      ['msg_1', 'msg_3'],
    );
  });

  it('let a message wait for them until its deadline, although that is longer than a transmit may take', async () => {
    const { server, provider } = await start(() => {}, { timeoutMs: 150 });
    const { signal: deadline } = new AbortController();
    const ids = ['msg_1', 'msg_2', 'msg_3'];
    const outcomes = await Promise.all(ids.map((id) => provider.transmit(SENDER, message(id), deadline)));
    assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['unknown']));
    assert.deepEqual(
      server.requests.map(({ id }) => id),
      ids,
    );
  });

  it('are not waited for by a message whose deadline has passed', async () => {
    const held: (() => void)[] = [];
    const { provider } = await start((socket, { id }) => held.push(() => socket.write(accepted(id))));
    const first = provider.transmit(SENDER, message('msg_1'));
    await until(() => held.length === 1);
    const outcome = await provider.transmit(SENDER, message('msg_2'), AbortSignal.abort());
    assert.deepEqual(outcome, { kind: 'throttled', error: { code: 'not_attempted' }, unwritten: true });
    held.shift()?.();
    assert.equal((await first).kind, 'accepted');
  });

  it('let nobody without a deadline wait for them longer than a transmit may take', async () => {
    const { server, provider } = await start(() => {}, { timeoutMs: 150 });
    const outcomes = await Promise.all(['msg_1', 'msg_2'].map((id) => provider.transmit(SENDER, message(id))));
    assert.deepEqual(
      outcomes.map((outcome) => outcome.kind !== 'accepted' && outcome.error.code),
      ['outcome_unknown', 'not_attempted'],
    );
    assert.deepEqual(
      server.requests.map(({ id }) => id),
      ['msg_1'],
    );
  });

  it('are closed at the end, but not under a transmit that is under way', async () => {
    const held: (() => void)[] = [];
    // Neither time ends within this test.
    const keptAlive = 'keep-alive: timeout=60\r\n';
    const { server, provider } = await start(
      (socket) => held.push(() => socket.write(http(200, '{"messages":[{"id":"wamid.1"}]}', keptAlive))),
      { timeoutMs: 60_000 },
    );
    const first = provider.transmit(SENDER, message('msg_1'));
    let waited: TransmitOutcome | undefined;
    void provider.transmit(SENDER, message('msg_2')).then((outcome) => {
      waited = outcome;
    });
    await until(() => held.length === 1);
    await provider.close();
    await until(() => waited !== undefined);
    assert.deepEqual(waited, { kind: 'throttled', error: { code: 'not_attempted' }, unwritten: true });
    held.shift()?.();
    assert.equal((await first).kind, 'accepted');
    await until(() => server.connections.open === 0);
    const after = await provider.transmit(SENDER, message('msg_3'));
    assert.deepEqual(after, { kind: 'throttled', error: { code: 'not_attempted' }, unwritten: true });
    assert.deepEqual(
      server.requests.map(({ id }) => id),
      ['msg_1'],
    );
  });

  it('that break at any moment double no message and lose no certainty', async () => {
    const answered = new Set<string>();
    let turn = 0;
    const { server, provider } = await start(
      (socket, request) => {
        turn += 1;
        breakingAnswer(turn, socket, request, answered);
      },
      { connections: 4 },
    );
    const outcomes = new Map<string, string>();
    const callers = Array.from({ length: 6 }, async (_, caller) => {
      for (let n = 0; n < 250; n += 1) {
        const id = `msg_${caller}_${n}`;
        outcomes.set(id, (await provider.transmit(SENDER, message(id))).kind);
        for (let turns = n % 4; turns > 0; turns -= 1) await nextTurn();
      }
    });
    await Promise.all(callers);
    const read = server.requests.map(({ id }) => id);
    assert.equal(new Set(read).size, read.length, 'no request is read twice');
    for (const [id, kind] of outcomes) {
      if (kind === 'accepted') assert.ok(answered.has(id), `${id} was accepted without an answer`);
      if (kind === 'throttled') assert.ok(!read.includes(id), `${id} was read but called certainly not taken`);
    }
    const seen = [...outcomes.values()];
    assert.ok(seen.includes('accepted') && seen.includes('unknown'), 'both kinds occurred');
  });
});

/** Breaks the connection in one of the ways and moments in which servers do it. */
function breakingAnswer(turn: number, socket: net.Socket, { id }: ReadRequest, answered: Set<string>): void {
  const answer = (then: () => void = () => {}) => {
    answered.add(id);
    socket.write(accepted(id), then);
  };
  switch (turn % 9) {
    case 0:
      reset(socket);
      break;
    case 1:
      answer(() => socket.end());
      break;
    case 2:
      answer(() => setImmediate(() => socket.end()));
      break;
    case 3:
      answer(() => setTimeout(() => socket.end(), 1));
      break;
    case 4:
      answer(() => setTimeout(() => reset(socket), 2));
      break;
    case 5:
      answer(() => reset(socket));
      break;
    case 6:
      socket.end(accepted(id).slice(0, -1 - (turn % 40)));
      break;
    default:
      answer();
  }
}

it('a connection is waited for where the first call for it was lost, although the name has an address that leads nowhere', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const server = await startSlowAcceptor(accepted('msg_1'));
  t.after(() => server.close());
  const addresses = ['127.0.0.1', '::1'].map((address) => ({ address, family: net.isIP(address) }));
  t.mock.method(dns, 'lookup', (...[, , tell]: [string, object, (error: null, found: object[]) => void]) => {
    tell(null, addresses);
  });
  const live = { url: `http://provider.example:${server.port}`, version: 'v25.0' };
  const provider = createWhatsAppProvider({ live, timeoutMs: 10_000, connections: 1 });
  t.after(() => provider.close());
  const outcome = provider.transmit(SENDER, message('msg_1'));
  await server.acceptAfterFirstCall();
  assert.equal((await outcome).kind, 'accepted');
});

it('a connection on which TLS finds a fault is closed, and its call ends at once', async (t) => {
  const closed = Promise.withResolvers<void>();
  const server = await startTlsServer(({ below }) => {
    below.on('close', closed.resolve);
    below.write('This is no record of TLS');
  });
  t.after(() => server.close());
  const live = { url: server.url, version: 'v25.0' };
  const provider = createWhatsAppProvider({ live, timeoutMs: 30_000, connections: 1 });
  t.after(() => provider.close());
  assert.deepEqual(await provider.transmit(SENDER, message('msg_1')), {
    kind: 'unknown',
    error: { code: 'outcome_unknown', detail: "The connection broke before the provider's answer was complete" },
  });
  await closed.promise;
});

function answerSoon(socket: net.Socket, { id }: ReadRequest): void {
  setTimeout(() => socket.write(accepted(id)), 2);
}

async function start(
  answer: (socket: net.Socket, request: ReadRequest) => void,
  { connections = 1, timeoutMs = 5_000 }: { connections?: number; timeoutMs?: number } = {},
) {
  const server = await startWireServer(answer);
  const provider = createWhatsAppProvider({ live: { url: server.url, version: 'v25.0' }, timeoutMs, connections });
  closing.push(
    () => provider.close(),
    () => server.close(),
  );
  return { server, provider };
}

const UNTIL_MS = 30_000;

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + UNTIL_MS;
  while (!condition()) {
    assert.ok(performance.now() < deadline, 'The condition did not come true');
    await nextTurn();
  }
}

function catchWarnings(): () => string[] {
  const warnings: string[] = [];
  const note = (warning: Error) => warnings.push(warning.name);
  process.on('warning', note);
  return () => {
    process.off('warning', note);
    return warnings;
  };
}
