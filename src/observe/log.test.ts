import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const LOG = pathOf('log.ts');
const STORE_UNAVAILABLE = pathOf('../kernel/store-unavailable.ts');

/** Linux has a file that is always on a full disk. */
const onFullDisk = { skip: !existsSync('/dev/full') };
const END_WITHIN_MS = 20_000;

function programOf(script: string): string[] {
  const source = `import { createLog } from ${JSON.stringify(LOG)}; const log = createLog('info'); ${script}`;
  return ['--input-type=module', '--eval', source];
}

/** What a process that runs this script writes to standard error, line by line. */
async function linesOf(script: string): Promise<string[]> {
  const child = spawn(process.execPath, programOf(script), { stdio: ['ignore', 'ignore', 'pipe'] });
  const output = Buffer.concat(await child.stderr.toArray()).toString();
  if (child.exitCode === null) await once(child, 'exit');
  return output.split('\n').filter((line) => line.startsWith('{'));
}

/** The code and signal that a process ends with which writes lines to a full disk, one of them of this level. */
async function endOnFullDisk(level: 'error' | 'fatal') {
  const script = `log.info('lost'); log.${level}('lost too'); setTimeout(() => process.exit(3), 1_000); log.info('held')`;
  const child = spawn('sh', ['-c', 'exec "$@" 2> /dev/full', 'sh', process.execPath, ...programOf(script)]);
  const late = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
  const end = await once(child, 'exit');
  clearTimeout(late);
  return end;
}

describe('the log', () => {
  it('is written to its last line when the process exits by itself or by an error that nobody catches', async () => {
    for (const end of ['process.exit(1)', 'throw new Error("fatal")', ''])
      assert.equal((await linesOf(`for (let i = 0; i < 500; i++) log.info({ i }, 'a line'); ${end}`)).length, 500, end);
  });

  it('is written up to a grave line at once, so that not even a kill takes it along', async () => {
    const lines = await linesOf(`log.info('before'); log.error('grave'); process.kill(process.pid, 'SIGKILL')`);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      ['before', 'grave'],
    );
  });

  it('does not wait for more than a moment with what is not grave', async () => {
    const lines = await linesOf(`log.info('held'); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1_000)`);
    assert.equal(lines.length, 1);
  });

  it(
    'that cannot be written, as on a full disk, neither ends the process nor holds up its end',
    onFullDisk,
    async () => {
      assert.deepEqual(await endOnFullDisk('error'), [3, null]);
      assert.deepEqual(await endOnFullDisk('fatal'), [3, null]);
    },
  );

  it('tells of an error what went wrong and where, and nothing that it carries or quotes', async () => {
    const [driver, syntax] = await linesOf(`
      log.error({ err: Object.assign(new Error('gone', { cause: new Error('reset') }), { code: 'E1', secret: 'hidden' }) }, 'x');
      try { JSON.parse('private words') } catch (err) { log.error({ err }, 'y') }`);
    const { err } = JSON.parse(driver ?? '');
    assert.deepEqual([err.type, err.message, err.code, err.cause.message], ['Error', 'gone', 'E1', 'reset']);
    assert.ok(!driver?.includes('hidden'));
    assert.equal(JSON.parse(syntax ?? '').err.type, 'SyntaxError');
    assert.ok(syntax?.includes(' at ') && !syntax.includes('private'));
  });

  it('tells of an error that only holds others, as that of a name with several addresses, what those say', async () => {
    const [line] = await linesOf(`
      log.error({ err: new Error('gone', { cause: new AggregateError([new Error('one'), new Error('other')]) }) }, 'x')`);
    assert.equal(JSON.parse(line ?? '').err.cause.message, 'one, other');
  });

  it('says that the store is away and why, in a short line, because it says so again and again', async () => {
    const [line] = await linesOf(`
      const { StoreUnavailable } = await import(${JSON.stringify(STORE_UNAVAILABLE)});
      const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      log.warn({ err: new StoreUnavailable(cause, false) }, 'x')`);
    const message = 'The database is not available: connect ECONNREFUSED';
    assert.deepEqual(JSON.parse(line ?? '').err, {
      ...{ type: 'StoreUnavailable', message },
      cause: { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    });
  });

  it('says where a statement was that the store, which is there, has ended', async () => {
    for (const code of ['57014', '55P03']) {
      const [line] = await linesOf(`
        const { StoreUnavailable } = await import(${JSON.stringify(STORE_UNAVAILABLE)});
        const cause = Object.assign(new Error('canceling statement'), { code: '${code}' });
        const ofThisPlace = () => new StoreUnavailable(cause, false);
        log.warn({ err: ofThisPlace() }, 'x')`);
      assert.match(JSON.parse(line ?? '').err.stack, /at ofThisPlace/);
    }
  });
});
