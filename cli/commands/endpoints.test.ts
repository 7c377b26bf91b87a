import assert from 'node:assert/strict';
import { it } from 'node:test';
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
