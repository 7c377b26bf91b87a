import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { listen } from '../client/test/listen.ts';
import { startCli } from './test-support.ts';

describe('a command whose output cannot be written', () => {
  const answer = JSON.stringify({
    results: [{ to: '+447700900101', status: 'valid' }],
    valid_count: 1,
    invalid_count: 0,
  });
  const server = createServer((_, response) => void response.end(answer));
  let env: Record<string, string>;
  before(async () => {
    env = { WAYPOST_URL: await listen(server), WAYPOST_API_KEY: 'wp_test_a' };
  });
  after(() => server.close());
  const validate = () => startCli(['validate', '--to', '+447700900101', '--text', 'hello'], env);

  it('ends quietly when its reader goes away', async () => {
    const { child, ended } = validate();
    child.stdout?.destroy();
    const { exitCode, stderr } = await ended;
    assert.deepEqual([exitCode, stderr], [0, '1 valid, 0 invalid. Nothing was sent.\n']);
  });

  it('gives its results although nobody reads its remarks', async () => {
    const { child, ended } = validate();
    child.stderr?.destroy();
    const { exitCode, stdout } = await ended;
    assert.equal(exitCode, 0);
    assert.match(stdout, /\n\+447700900101 +valid/);
  });

  it('says in a sentence that a disk is full, and ends with 1', { skip: !existsSync('/dev/full') }, async () => {
    const disk = await open('/dev/full', 'w');
    const child = spawn(process.execPath, [join(import.meta.dirname, 'waypost.js'), 'config'], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', disk.fd, 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (chunk) => (stderr += chunk));
    const exitCode = await new Promise((resolve) => child.once('close', resolve));
    await disk.close();
    assert.equal(exitCode, 1);
    assert.match(stderr, /^The results could not be written: ENOSPC: no space left on device.*\n/m);
    assert.doesNotMatch(stderr, /\n {4}at /);
  });
});
