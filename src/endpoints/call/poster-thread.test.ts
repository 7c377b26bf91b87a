import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { it, type TestContext } from 'node:test';
import { setTimeout as later, setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startReceiver } from '../../../test/endpoints/receiver.ts';
import { makeExpensiveChain } from '../../../test/support/certificate.ts';
import { startTlsServer } from '../../../test/support/tls-server.ts';
import { undisturbed } from '../../../test/support/undisturbed.ts';
import { until } from '../../../test/support/until.ts';
import { createPoster, type Poster } from './poster.ts';
import { PosterThread } from './poster-thread.ts';

const REQUEST = { path: '/', headers: {}, body: '{}' };
const onUnix = { skip: process.platform === 'win32' && 'Windows has no such limit' };
const CLOSED = { httpStatus: null, error: 'closed', retryAfter: [], answer: null };

it('an endpoint whose chain of certificates is expensive holds up its own thread, and not the gateway', async (t) => {
  const server = await startTlsServer(() => undefined, makeExpensiveChain('127.0.0.1'));
  t.after(() => server.close());
  const busyMs = async (poster: Poster) => {
    t.after(() => poster.close());
    // The first call begins the thread.
    await poster.post({ ...REQUEST, origin: server.url }, true);
    const before = performance.eventLoopUtilization();
    const { error } = await poster.post({ ...REQUEST, origin: server.url }, true);
    assert.equal(error, 'tls');
    return performance.eventLoopUtilization(before).active;
  };
  await undisturbed(async () => {
    const hereMs = await busyMs(createPoster());
    const thereMs = await busyMs(new PosterThread());
    assert.ok(thereMs < hereMs / 2, `busy for ${thereMs} ms, and for ${hereMs} ms where the gateway calls itself`);
  });
});

it('a call in the thread ends where its signal says so, and so does its connection', async (t) => {
  const { poster, origin, held } = await startSilentEndpoint(t);
  const breaking = new AbortController();
  const [broken, other] = [
    poster.post({ ...REQUEST, origin }, true, breaking.signal),
    poster.post({ ...REQUEST, origin }, true),
  ];
  await until(() => held.length === 2);
  breaking.abort();
  assert.deepEqual(await broken, CLOSED);
  await until(() => held.filter(({ destroyed }) => destroyed).length === 1);
  await poster.close();
  assert.deepEqual(await other, CLOSED);
  assert.deepEqual(await poster.post({ ...REQUEST, origin }, true), CLOSED);
});

it('a thread that has a call does not end, and keeps nothing at the signal of one that is over', async (t) => {
  const { poster, origin, held } = await startSilentEndpoint(t, 1);
  const { signal } = new AbortController();
  const answer = async (place: number) => (await until(() => held[place])).writeHead(204).end();
  const call = () => poster.post({ ...REQUEST, origin }, true, signal);
  const first = call();
  const second = call();
  await answer(0);
  await Promise.race([first, second]);
  // The next one comes when a thread without a call would have ended.
  await later(5);
  await answer(1);
  for (const { httpStatus } of await Promise.all([first, second])) assert.equal(httpStatus, 204);
  const third = call();
  await answer(2);
  assert.equal((await third).httpStatus, 204);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

it('a call whose signal has spoken already is not made', async (t) => {
  const { poster, origin } = await startSilentEndpoint(t);
  assert.deepEqual(await poster.post({ ...REQUEST, origin }, true, AbortSignal.abort()), CLOSED);
});

it('a call in the thread reaches this machine only where it is told so', async (t) => {
  const { poster, origin } = await startSilentEndpoint(t);
  const { port } = new URL(origin);
  const { error } = await poster.post({ ...REQUEST, origin: `http://localhost:${port}` }, false);
  assert.equal(error, 'address_refused');
});

it('a thread that cannot begin, because no more files may be open, costs its calls only', onUnix, async () => {
  const program = `
    import { closeSync, openSync } from 'node:fs';
    import { PosterThread } from './src/endpoints/call/poster-thread.ts';
    const poster = new PosterThread();
    const post = () => poster.post({ origin: 'http://127.0.0.1:1', path: '/', headers: {}, body: '' }, true);
    const files = [];
    try {
      for (;;) files.push(openSync('/dev/null'));
    } catch {
      // There is no other way to learn that no more may be open.
    }
    const without = await post();
    for (const file of files) closeSync(file);
    console.log(without.error, (await post()).error);
    await poster.close();
  `;
  const limited = ['-c', 'ulimit -n 128 && exec "$@"', 'sh', process.execPath, '--eval', program];
  assert.equal((await promisify(execFile)('sh', limited)).stdout, 'closed refused\n');
});

it('a fault of ours in the thread ends the process', async () => {
  const program = `
    import { PosterThread } from './src/endpoints/call/poster-thread.ts';
    new PosterThread().post({ origin: 'http://127.0.0.1:1', path: 'no path', headers: {}, body: '' }, true);
  `;
  const ended = promisify(execFile)(process.execPath, ['--eval', program]);
  await assert.rejects(ended, ({ code, stderr }) => code === 1 && /path must be an absolute URL/.test(stderr));
});

it('a thread without a call ends, and the next call has a new one', async (t) => {
  const server = await startTlsServer(() => undefined);
  const poster = new PosterThread({ idleMs: 1 });
  t.after(async () => {
    await poster.close();
    server.close();
  });
  const call = () => poster.post({ ...REQUEST, origin: server.url }, true);
  const threads = () => process.getActiveResourcesInfo().filter((resource) => resource === 'MessagePort').length;
  const before = threads();
  let busySeconds = 0;
  for (const nth of ['first', 'second']) {
    assert.equal((await call()).error, 'tls');
    await until(() => threads() === before);
    assert.ok(poster.busySeconds() > busySeconds, `the ${nth} one counts`);
    busySeconds = poster.busySeconds();
  }
  const last = call();
  await poster.close();
  assert.deepEqual(await last, CLOSED);
  await nextTurn();
  assert.equal(threads(), before, 'a call that is given in the moment of the close begins no thread');
});

/** `held`: its answers, none of which it gives. */
async function startSilentEndpoint(t: TestContext, idleMs?: number) {
  const held: ServerResponse[] = [];
  const receiver = await startReceiver((response) => void held.push(response));
  const poster = new PosterThread({ idleMs });
  t.after(async () => {
    await poster.close();
    await receiver.close();
  });
  return { poster, origin: new URL(receiver.url).origin, held };
}
