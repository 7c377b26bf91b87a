import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/config.ts';
import { NOBODY } from '../support/nobody.ts';
import { read } from '../support/tree.ts';

const run = promisify(execFile);
const UNIT = read('ops/waypost.service');

describe('a gateway as a service or a container, as the guide has it', () => {
  it('may use all of the time that it gives itself for its stop', () => {
    const budget = loadConfig({}).stopBudgetMs / 1_000;
    for (const [place, seconds] of [
      ['ops/waypost.service', /^TimeoutStopSec=(\d+)$/m.exec(UNIT)?.[1]],
      ['compose.yaml', /^ {2}gateway:\n(?: {4}.*\n)*? {4}stop_grace_period: (\d+)s$/m.exec(read('compose.yaml'))?.[1]],
    ])
      assert.ok(Number(seconds) > budget, `${place}: ${seconds} s, and the gateway takes up to ${budget} s`);
  });

  it('is not taken for dead by its image while its start waits for a database, in more than one step', () => {
    const [, seconds] = /^HEALTHCHECK .*--start-period=(\d+)s/m.exec(read('Dockerfile')) ?? [];
    assert.ok(Number(seconds) * 1_000 > 2 * loadConfig({}).databaseWaitMs, `${seconds} s`);
  });

  it('stops before a database on the same machine, which has to take the outcomes of its last sends', () => {
    assert.match(UNIT, /^After=.*\bpostgresql\.service\b/m);
  });

  it('runs as a user whom Kubernetes can tell from root, which is by a number', () => {
    assert.match(read('Dockerfile'), /^USER [1-9]\d*:[1-9]\d*$/m);
  });

  it('has no capability in the container, can gain none, and writes to its data folder only', () => {
    const [, gateway = ''] = /^ {2}gateway:\n((?: {4}.*\n|\n)+)/m.exec(read('compose.yaml')) ?? [];
    for (const line of ['read_only: true', 'cap_drop: [ALL]', "security_opt: ['no-new-privileges:true']"])
      assert.ok(gateway.includes(`\n    ${line}\n`), line);
  });

  it('can read what is beside its settings, such as the authority of the database, and no secret', async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'waypost-service-'));
    t.after(() => rm(dir, { recursive: true, force: true }));
    await chmod(dir, 0o755);
    const folders = read('docs/guides/deploy.md').match(/^sudo install -d .*\/etc\/waypost.*$/gm) ?? [];
    const lines = folders.join('\n').replaceAll('sudo ', '').replaceAll('/etc/waypost', `${dir}/waypost`);
    await run('sh', ['-c', lines]);
    const [authority, secret] = [join(dir, 'waypost/ca.crt'), join(dir, 'waypost/secrets/master_key')];
    for (const path of [authority, secret]) await writeFile(path, 'x', { mode: 0o644 });
    if (NOBODY.uid === undefined) return assert.equal(await readFile(authority, 'utf8'), 'x');
    assert.equal((await run('cat', [authority], NOBODY)).stdout, 'x');
    await assert.rejects(run('cat', [secret], NOBODY), /Permission denied/);
  });
});
