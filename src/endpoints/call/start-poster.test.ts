import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { startReceiver } from '../../../test/endpoints/receiver.ts';
import { makeCertificate, makeExpensiveChain } from '../../../test/support/certificate.ts';
import { startTlsServer } from '../../../test/support/tls-server.ts';
import { startPoster } from './start-poster.ts';

const REQUEST = { path: '/', headers: {}, body: '{}' };

it('only a call over TLS begins a thread for it', async (t) => {
  const plain = await startReceiver();
  const secure = await startTlsServer(() => undefined);
  const poster = startPoster();
  t.after(async () => {
    await poster.close();
    secure.close();
    await plain.close();
  });
  const { origin } = new URL(plain.url);
  assert.equal((await poster.post({ ...REQUEST, origin }, true, undefined, 'account')).httpStatus, 204);
  assert.deepEqual(poster.busySeconds(), { answering: 0, apart: 0 });
  // Only this thread was told to trust the server.
  assert.equal((await poster.post({ ...REQUEST, origin: secure.url }, true, undefined, 'account')).error, 'tls');
  assert.ok(poster.busySeconds().apart > 0);
});

/** Calls an endpoint that answers, while six calls of one whose chain is expensive to check are under way; prints what came of them. */
const PROGRAM = `
  import { startPoster } from './src/endpoints/call/start-poster.ts';
  const [answering, expensive] = process.argv.slice(1);
  const poster = startPoster();
  const call = (origin, accountId) =>
    poster.post({ origin, path: '/', headers: {}, body: '{}' }, true, undefined, accountId);
  const statuses = [];
  const answer = async () => statuses.push((await call(answering, 'one')).httpStatus);
  // By the first it is known to answer, and the second begins its thread.
  for (let n = 0; n < 2; n++) await answer();
  const errors = [];
  const attack = Array.from({ length: 6 }, async () => errors.push((await call(expensive, 'other')).error));
  for (let n = 0; n < 5; n++) await answer();
  const endedBefore = errors.length;
  await Promise.all(attack);
  await poster.close();
  console.log(JSON.stringify({ statuses, errors, endedBefore }));
`;

it('an endpoint that answers is not held up by those of another account whose chain of certificates is expensive', async (t) => {
  const certificate = makeCertificate('127.0.0.1');
  const answer = 'HTTP/1.1 204 No Content\r\n\r\n';
  const server = await startTlsServer(({ socket }) => {
    socket.on('data', () => socket.write(answer)).write(answer);
  }, certificate);
  const expensive = await startTlsServer(() => undefined, makeExpensiveChain('127.0.0.1'));
  // A thread trusts what its process was told to trust at its start.
  const folder = await mkdtemp(join(tmpdir(), 'waypost-trust-'));
  t.after(async () => {
    server.close();
    expensive.close();
    await rm(folder, { recursive: true });
  });
  const trusted = join(folder, 'trusted.pem');
  await writeFile(trusted, certificate.cert);
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', PROGRAM, server.url, expensive.url], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: trusted },
  });
  const { statuses, errors, endedBefore } = JSON.parse(stdout);
  assert.deepEqual(new Set(statuses), new Set([204]));
  assert.deepEqual(new Set(errors), new Set(['tls']));
  assert.ok(endedBefore < 5, `${endedBefore} of the expensive calls ended before five of the others`);
});
