import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { runCli, startCli } from './test-support.ts';

describe('the help of the command line', () => {
  it('of a group has the options of its list, because they work without the word', async () => {
    const { stdout } = await runCli(['messages', '--help'], {});
    assert.match(stdout, /Options:\n +--request-id <id> /);
    assert.match(stdout, / --status <status> /);
  });

  it('has an option that says its version', async () => {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    const { exitCode, stdout } = await startCli(['--version']).ended;
    assert.deepEqual([exitCode, stdout], [0, `${version}\n`]);
    assert.match((await runCli(['--help'], {})).stdout, /--version /);
  });

  it('says which options must be given', async () => {
    const { stdout } = await runCli(['keys', 'create', '--help'], {});
    assert.match(stdout, /--name <name> .*must be given/);
    assert.doesNotMatch(stdout, /--scope <scope> .*must be given/);
  });

  it('comes with an error: how the command is used, or which commands there are', async () => {
    const of = async (...args: string[]) => {
      const { exitCode, stderr } = await runCli(args, {});
      assert.equal(exitCode, 2);
      return stderr;
    };
    const named = await of('accounts', 'create', '--name', 'Acme');
    assert.match(
      named,
      /'--name'\nUsage: waypost accounts create \[options\] <name>\n\(npx waypost accounts create --help/,
    );
    assert.match(
      await of('messages', 'msg_1'),
      /\nUsage: waypost messages list \[options\]\n\(npx waypost messages --help/,
    );
    assert.match(await of('requests', 'req_1'), /'req_1'\nIts commands: get\.\n\(npx waypost requests --help/);
    assert.match(await of('mesages'), /\(Did you mean messages\?\)\n\(npx waypost --help/);
  });
});
