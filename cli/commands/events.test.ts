import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type EventServer, startEventServer } from '../../test/events/event-server.ts';
import { type CliProcess, runCli, startCli } from '../test-support.ts';

describe('a page of events', () => {
  let server: EventServer;
  before(async () => {
    server = await startEventServer();
    await server.record(60, { types: ['message.sent', 'message.failed'] });
  });
  after(() => server.stop());
  const list = (...args: string[]) =>
    runCli(['events', ...args], { WAYPOST_URL: server.url, WAYPOST_API_KEY: server.key });

  it('says how to go on where more follow it, and what it says leads to the end', async () => {
    const first = await list();
    assert.equal(first.exitCode, 0, first.stderr);
    assert.equal(first.stderr, 'There is more: --after 50\n');
    const rest = await list('--after', '50');
    assert.match(rest.stdout, /^SEQUENCE.*\n51 (.*\n){9}60 .*\n$/);
    assert.equal(rest.stderr, '');
  });

  it('says nothing where it ends with the log, full or not', async () => {
    for (const args of [
      ['--limit', '60'],
      ['--after', '40', '--limit', '20'],
      ['--after', '60', '--limit', '1'],
    ])
      assert.doesNotMatch((await list(...args)).stderr, /more/, args.join(' '));
  });

  it('of some types says that there may be more, unless it has all of them', async () => {
    const cut = await list('--type', 'message.failed', '--limit', '3');
    assert.equal(cut.stderr, 'There may be more: --after 6\n');
    assert.equal((await list('--type', 'message.sent')).stderr, '');
  });

  it('can be of every type that the API has, and the help names them all', async () => {
    const { schemas } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')).components;
    const types = schemas.CreateEndpointBody.properties.types.items.enum.join(', ');
    const { exitCode, stderr } = await list('--type', types);
    assert.equal(exitCode, 0, stderr);
    assert.ok((await list('--help')).stdout.replaceAll(/\s+/g, ' ').includes(types));
  });

  it('for a program is as it came, without a remark', async () => {
    const { stdout, stderr } = await list('--limit', '1', '--json');
    assert.deepEqual([JSON.parse(stdout).data.length, stderr], [1, '']);
  });
});

describe('events that are followed', () => {
  let server: EventServer;
  let folder: string;
  let state: string;
  before(async () => {
    server = await startEventServer();
    await server.record(3, { types: ['message.sent'] });
    folder = await mkdtemp(join(tmpdir(), 'waypost-events-'));
    state = join(folder, 'tail.state');
  });
  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it('begin with a remark that they are waited for, because there may be none for hours', async () => {
    assert.match(
      await remarkOf({ WAYPOST_URL: server.url, WAYPOST_API_KEY: server.key }),
      /^Events after number 3 are printed as they come\. Ctrl-C ends this\.\n/,
    );
  });

  it('say why they are not read, and from where', async () => {
    const nobody = 'http://127.0.0.1:3';
    assert.equal(
      await remarkOf({ WAYPOST_URL: nobody, WAYPOST_API_KEY: server.key }),
      `No answer from ${nobody}: the connection was refused. Trying again.\n`,
    );
  });

  it('begin where the command line says, and at the oldest one that is kept for 0, before what a state file says', async () => {
    await server.database.query('delete from event where sequence = 1');
    await writeFile(state, '3\n');
    const env = { WAYPOST_URL: server.url, WAYPOST_API_KEY: server.key };
    for (const [after, first] of [
      ['0', 2],
      ['2', 3],
    ] as const) {
      const { child, ended } = startTail(['--json', '--after', after, '--state', state], env);
      await Promise.race([once(child.stdout ?? child, 'data'), ended]);
      child.kill('SIGINT');
      const { stdout, stderr } = await ended;
      assert.equal(JSON.parse(stdout.split('\n')[0] ?? '').sequence, first);
      assert.doesNotMatch(stderr, /expired/);
    }
  });

  it('are refused where a number or the state file is wrong, because to begin now would leave out events without a word', async () => {
    const env = { WAYPOST_URL: server.url, WAYPOST_API_KEY: server.key };
    for (const [args, told] of [
      [['--after', '99'], /^The log ends at 3, before 99/],
      [['--state', folder], /^The state file .* cannot be read/],
    ] as const) {
      const { exitCode, stderr } = await runCli(['events', 'tail', ...args], env);
      assert.equal(exitCode, 2, stderr);
      assert.match(stderr, told);
    }
  });

  it('end with 1 where the number of the last one cannot be kept: the next run would leave out events or print them again', async () => {
    const env = { WAYPOST_URL: server.url, WAYPOST_API_KEY: server.key };
    const { exitCode, stderr } = await startTail(['--state', join(folder, 'none', 'tail.state')], env).ended;
    assert.deepEqual([exitCode, /^ENOENT: .*tail\.state\.new'$/m.test(stderr)], [1, true], stderr);
  });

  /** Starts a tail. One that goes on in silence fails its test, and does not hang. */
  function startTail(args: string[], env: Record<string, string>): CliProcess {
    const run = startCli(['events', 'tail', ...args], env);
    const limit = setTimeout(() => run.child.kill('SIGKILL'), 30_000);
    run.child.once('close', () => clearTimeout(limit));
    return run;
  }

  /** The first remark of a tail, which is then ended. */
  async function remarkOf(env: Record<string, string>): Promise<string> {
    const { child, ended } = startCli(['events', 'tail'], env);
    const [remark] = await once(child.stderr ?? child, 'data');
    child.kill('SIGINT');
    assert.equal((await ended).exitCode, 130);
    return String(remark);
  }
});
