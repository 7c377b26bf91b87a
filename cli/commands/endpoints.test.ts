import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startTestGateway } from '../../test/support/gateway.ts';
import { runCli } from '../test-support.ts';

it('an endpoint keeps what an update does not name, and loses its description if it is told to', async (t) => {
  const gateway = await startTestGateway();
  t.after(() => gateway.stop());
  const endpoints = async (...args: string[]) => {
    const env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey };
    const { exitCode, stdout, stderr } = await runCli(['endpoints', ...args, '--json'], env);
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  };
  const { id } = await endpoints('create', 'http://127.0.0.1:9/', '--description', 'The shop');
  assert.equal((await endpoints('update', id, '--enabled', 'false')).description, 'The shop');
  assert.equal((await endpoints('update', id, '--no-description')).description, null);
  assert.equal((await endpoints('update', id, '--description', 'The till')).description, 'The till');
});

it('a test of an endpoint ends with 1 where the event was not taken, and a check of a signature with 0 where it is valid', async (t) => {
  const gateway = await startTestGateway();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-endpoints-'));
  t.after(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true });
  });
  const env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey };
  const endpoints = (...args: string[]) => runCli(['endpoints', ...args], env);
  const { id, secret } = JSON.parse((await endpoints('create', 'http://127.0.0.1:9/', '--json')).stdout);

  const tried = await endpoints('test', id);
  assert.equal(tried.exitCode, 1, tried.stderr);
  assert.match(tried.stdout, /^outcome +failed$/m);

  const [headers, body] = [join(folder, 'headers.txt'), join(folder, 'body.json')];
  const now = new Date();
  const [timestamp, signature] = [Math.floor(now.getTime() / 1_000), new Webhook(secret).sign('evt_1', now, '{}\n')];
  await writeFile(
    headers,
    `Webhook-Id: evt_1\r\nWebhook-Timestamp: ${timestamp}\r\nWebhook-Signature: ${signature}\r\n`,
  );
  await writeFile(body, '{}\n');
  const checked = await endpoints('check-signature', id, '--headers-file', headers, '--body-file', body);
  assert.deepEqual([checked.exitCode, checked.stdout], [0, 'The signature is valid.\n'], checked.stderr);
});
