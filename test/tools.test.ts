import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, open, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from './support/compile-cache.ts';
import { PROGRAM_ENV } from './support/program-env.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Every program of package.json that takes arguments. The command line is not among them; it has tests of its own. */
const TOOLS = [
  ...['scripts/backup.ts', 'scripts/listen/main.ts', 'scripts/sandbox-replay.ts', 'scripts/generate.ts'],
  ...['src/config-print.ts', 'sandbox/main.ts', 'bench/main.ts', 'bench/load.ts', 'bench/soak/main.ts'],
  ...['faults/main.ts', 'test/fuzz/main.ts', 'test/plans/main.ts', 'test/main.ts'],
];
/** Command lines with other mistakes, and what must be said about them. */
const WRONG: [string[], RegExp][] = [
  [['scripts/start.js', '--build-console', '--port', '9000'], /^npm start takes no --port: .*"npm run config"/],
  [['scripts/backup.ts'], /^Name the folder for the backup/],
  [['scripts/listen/main.ts', '--port'], /^Option '--port <value>' argument missing/],
  [['scripts/listen/main.ts', 'extra'], /^Unexpected argument 'extra'/],
  [['scripts/sandbox-replay.ts'], /^Name at least one file/],
  [['sandbox/main.ts', 'extra'], /Unexpected argument 'extra'/],
  [['bench/main.ts', 'nonsense'], /^There is no suite nonsense/],
  [['bench/main.ts', '--messages', 'many'], /^--messages must be a whole number above 0/],
  [['bench/load.ts', '--messages', 'many'], /^--messages must be a whole number above 0/],
  [['bench/soak/main.ts', '--minutes', 'many'], /^--minutes must be a number above 0/],
  [['faults/main.ts', '--seed', 'many'], /^--seed must be a whole number/],
  [['faults/main.ts', '--lanes', '0'], /^--lanes must be from 1 to/],
  [['bench/load.ts', '--data-dir', 'src'], /^There is something in .*src already/],
  [['bench/main.ts', 'start', '--json', 'nowhere/a.json'], /^Nothing can be written into nowhere/],
  [['bench/main.ts', 'start', '--markdown', 'nowhere/a.md'], /^Nothing can be written into nowhere/],
  [['bench/soak/main.ts', '--out', 'nowhere'], /^Nothing can be written into nowhere/],
  [['faults/main.ts', '--short', '--out', 'nowhere/a.json'], /^Nothing can be written into nowhere/],
  [['test/fuzz/main.ts', '--seconds', 'many'], /^--seconds must be a number above 0/],
  [['test/fuzz/main.ts', '--target', 'nonsense'], /^There is no target/],
  [['test/main.ts', 'nonsense'], /^No test's path begins with nonsense/],
];

describe('the tools', () => {
  it('answer an unknown option in one sentence and with 2', async (t) => {
    for (const tool of TOOLS) {
      const { exitCode, stderr } = await run(t, [tool, '--nonsense']);
      assert.match(stderr, /^(The sandbox cannot start: )?Unknown option '--nonsense'.*--help.*\n$/, tool);
      assert.equal(exitCode, 2, tool);
    }
  });

  it('answer another fault of the command line in one sentence and with 2', async (t) => {
    for (const [args, said] of WRONG) {
      const { exitCode, stderr } = await run(t, args);
      assert.match(stderr, said);
      assert.match(stderr, /^.*\n$/, args.join(' '));
      assert.equal(exitCode, 2, args.join(' '));
    }
  });

  it('say in a sentence that there is no database to back up', async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'waypost-tools-'));
    t.after(() => rm(dir, { recursive: true, force: true }));
    const { exitCode, stderr } = await run(t, ['scripts/backup.ts', join(dir, 'copy')], {
      env: { WAYPOST_DATA_DIR: join(dir, 'nowhere') },
    });
    assert.match(stderr, /^There is no embedded database in .*nowhere\.\n$/);
    assert.equal(exitCode, 1);
    assert.ok(!existsSync(join(dir, 'copy')));
  });

  it('end with a sentence where nothing can be made, also by a link: Node would ask /proc for ever', {
    skip: process.platform !== 'linux' && 'only Linux shows processes as files',
  }, async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'waypost-tools-'));
    t.after(() => rm(dir, { recursive: true, force: true }));
    await symlink('/proc', join(dir, 'link'));
    for (const WAYPOST_DATA_DIR of ['/proc/waypost', join(dir, 'link/waypost')])
      for (const tool of ['sandbox/main.ts', 'scripts/backup.ts']) {
        const args = tool.includes('backup') ? [tool, join(dir, 'copy')] : [tool];
        const { exitCode, stderr } = await run(t, args, { env: { WAYPOST_DATA_DIR } });
        assert.match(stderr, /WAYPOST_DATA_DIR must be a folder that can be written to/, tool);
        assert.equal(exitCode, 1, tool);
      }
  });

  it('take a blank data folder for one that is not named, and look nowhere else', async (t) => {
    const cwd = await mkdtemp(join(tmpdir(), 'waypost-tools-'));
    t.after(() => rm(cwd, { recursive: true, force: true }));
    await mkdir(join(cwd, '.waypost'));
    // So that the starts have nothing to compile.
    await symlink(COMPILE_CACHE, join(cwd, '.waypost/compile-cache'));
    for (const WAYPOST_DATA_DIR of ['', ' ']) {
      const blank = { cwd, env: { WAYPOST_DATA_DIR } };
      const env = { ...blank.env, NODE_COMPILE_CACHE: '', PORT: 'none' };
      const started = await run(t, [join(ROOT, 'scripts/start.js')], { cwd, env });
      assert.match(started.stderr, /PORT must be a whole number/);
      assert.deepEqual(await readdir(cwd), ['.waypost'], 'what a start compiles is kept nowhere else');
      for (const tool of ['scripts/listen/main.ts', 'scripts/sandbox-replay.ts']) {
        const { stderr } = await run(t, [join(ROOT, tool), ...(tool.includes('replay') ? ['a.json'] : [])], blank);
        assert.match(stderr, /^There is no \.waypost\/dev\.json\./, tool);
      }
      const dev = { base_url: 'http://127.0.0.1:9', test_key: 'wp_test_of_this_folder' };
      await writeFile(join(cwd, '.waypost/dev.json'), JSON.stringify(dev));
      const { stderr } = await run(t, [join(ROOT, 'cli/waypost.js'), 'messages'], blank);
      assert.match(stderr, /http:\/\/127\.0\.0\.1:9/, 'the command line');
      await rm(join(cwd, '.waypost/dev.json'));
    }
  });

  it('leave no half build of the console when they are broken off: the next one would leave the console to it', async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'waypost-tools-'));
    t.after(() => rm(dir, { recursive: true, force: true }));
    for (const name of ['build-console.js', 'console-state.js'])
      await cp(join(ROOT, 'scripts', name), join(dir, 'scripts', name));
    const files = {
      ...{ 'package.json': '{"type":"module"}', 'console/index.html': '', 'console/vite.config.ts': '' },
      ...{ 'console/src/main.ts': '', 'node_modules/vite/package.json': '{"type":"module","exports":"./index.js"}' },
      'node_modules/vite/index.js': `export const build = () => {
        process.kill(process.pid, 'SIGINT');
        return new Promise((resolve) => setTimeout(resolve, 60_000));
      };`,
    };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), text);
    }
    const { exitCode, stderr } = await run(t, [join(dir, 'scripts/build-console.js')]);
    assert.deepEqual([exitCode, stderr], [1, '']);
    assert.deepEqual((await readdir(join(dir, 'console'))).toSorted(), ['index.html', 'src', 'vite.config.ts']);
    await mkdir(join(dir, 'console/.dist-building'));
    const second = await run(t, [join(dir, 'scripts/build-console.js')]);
    assert.match(second.stderr, /^Another process is building the console\. .*\.dist-building\.\n$/);
    assert.equal(second.exitCode, 1);
  });

  it('tell that what they print could not be written, and end with 1', {
    skip: !existsSync('/dev/full'),
  }, async (t) => {
    const disk = await open('/dev/full', 'w');
    t.after(() => disk.close());
    for (const args of [['src/config-print.ts'], ['scripts/backup.ts', '--help']]) {
      const { exitCode, stderr } = await run(t, args, { stdout: disk.fd });
      assert.match(stderr, /^What was to be printed could not be written: ENOSPC.*\n$/, args.join(' '));
      assert.equal(exitCode, 1);
    }
  });

  it('end quietly and well when nobody reads what they print any more', async (t) => {
    assert.deepEqual(await run(t, ['src/config-print.ts'], { stdout: 'closed' }), { exitCode: 0, stderr: '' });
  });
});

interface Around {
  cwd?: string;
  env?: Record<string, string>;
  stdout?: number | 'closed';
}

function run(t: TestContext, args: string[], { cwd = ROOT, env, stdout = 'closed' }: Around = {}) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...PROGRAM_ENV, ...env },
    stdio: ['ignore', stdout === 'closed' ? 'pipe' : stdout, 'pipe'],
    timeout: 60_000,
  });
  t.after(() => child.kill('SIGKILL'));
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  return new Promise<{ exitCode: number | null; stderr: string }>((resolve) => {
    child.once('close', (exitCode) => resolve({ exitCode, stderr }));
  });
}
