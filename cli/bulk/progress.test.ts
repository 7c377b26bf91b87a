import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { startLossyProxy } from '../../client/test/lossy-proxy.ts';
import { startTestGateway } from '../../test/support/gateway.ts';
import { runCli } from '../test-support.ts';
import { createProgress } from './progress.ts';

it('the bar of a send is gone at its end, and what was under way until then does not bring it back', () => {
  let shown = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      shown += chunk;
      done();
    },
  });
  const terminal = Object.assign(stream, { isTTY: true });
  const progress = createProgress(4, 0, { accepted: 1, failed: 0, unknown: 0 }, terminal);
  progress.waiting('waiting: the gateway answers 503');
  assert.match(shown, /^\r\[#{6} {18}\] 1\/4 {2}1 accepted.*\(waiting: the gateway answers 503\)\u001b\[K$/);
  progress.end();
  progress.waiting('waiting: the gateway does not answer');
  progress.update();
  assert.match(shown, /503\)\u001b\[K\r\u001b\[K$/);
});

it('a send of a file shows on a terminal how far it is and what it waits for, within its width, and nothing of it is left', async (t) => {
  const gateway = await startTestGateway();
  const proxy = await startLossyProxy(gateway.url);
  const folder = await mkdtemp(join(tmpdir(), 'waypost-progress-'));
  t.after(async () => {
    await proxy.close();
    await gateway.stop();
    await rm(folder, { recursive: true });
  });
  const path = join(folder, 'people.csv');
  // All in one request, which meets every refusal.
  const numbers = Array.from({ length: 50 }, (_, row) => `+4477009006${String(row).padStart(2, '0')}`);
  await writeFile(path, `to\n${numbers.join('\n')}\n`);
  // The first two calls are those before a send: whose key it is, and whether it may send at all.
  const refusal = (status: number, code: string) => ({ status, code, retryAfter: '0' });
  proxy.plan.push('pass', 'pass', refusal(429, 'rate_limited'), refusal(409, 'idempotency_in_flight'));
  proxy.plan.push(refusal(503, 'unavailable'), 'lose_answer', refusal(429, 'rate_limited'));
  const env = { WAYPOST_URL: proxy.url, WAYPOST_API_KEY: gateway.testKey };
  const args = ['send', '--csv', path, '--text', 'hello'];
  const { exitCode, stderr } = await runCli(args, env, () => undefined, { isTTY: true, columns: 120 });
  assert.equal(exitCode, 0, stderr);
  for (const reason of [
    'the rate of this key is used up',
    'the first try is still under way',
    'the gateway answers 503',
    'the gateway does not answer',
  ])
    assert.ok(stderr.includes(`] 0/50  0 accepted, 0 failed, 0 unknown  (waiting: ${reason})`), stderr);
  const [remark, ...others] = stderr.split('\n').toReversed().slice(1);
  assert.match(
    remark ?? '',
    /50 rows had been sent by an earlier run, or by a try whose answer was lost, and were not/,
  );
  assert.equal(others.length, 0);
  const drawn = stderr.split('\r').slice(1);
  assert.match(drawn.at(-2) ?? '', /^\[#{24}\] 50\/50 {2}50 accepted, 0 failed, 0 unknown, about 0 s left/);
  assert.match(drawn.at(-1) ?? '', /^\u001b\[K50 rows/);
  for (const line of drawn) assert.ok(line.replace('\u001b[K', '').length < 120, line);
});
