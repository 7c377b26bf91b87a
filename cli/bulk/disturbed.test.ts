import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { constants, mkdirSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { PATIENT } from '../../test/support/patient.ts';
import { transmitsOf } from '../../test/support/transmits.ts';
import { until } from '../../test/support/until.ts';
import { runCli, startCli } from '../test-support.ts';

const ROWS = 10;
/** So many of a kilobyte that what is read ahead is only a small part of the file. */
const LONG_ROWS = 2_000;

let gateway: TestGateway;
let folder: string;
before(async () => {
  gateway = await startTestGateway({ settings: PATIENT, sandbox: { latencyMs: 50 } });
  folder = await mkdtemp(join(tmpdir(), 'waypost-disturbed-'));
});
after(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

const { O_NONBLOCK, O_WRONLY } = constants;
const onUnix = { skip: process.platform === 'win32' && 'Windows has no pipes in folders' };

const argsOf = (path: string) => ['send', '--csv', path, '--text', 'hello'];
const env = () => ({ WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey });
const stateOf = async (path: string) => JSON.parse(await readFile(`${path}.report.csv.state`, 'utf8'));
const numberOf = (prefix: string, row: number) => `${prefix}${String(row).padStart(6, '0')}`;

describe('a send from a file', () => {
  it('is reported by one process, also where another one begins while this one reads the report', onUnix, async () => {
    const path = join(folder, 'people.csv');
    const reportPath = `${path}.report.csv`;
    const numbers = Array.from({ length: ROWS }, (_, row) => numberOf('+15554', row));
    await writeFile(path, `to\n${numbers.join('\n')}\n`);
    assert.match((await runCli(argsOf(path), env())).stdout, new RegExp(`${ROWS} accepted`));
    const [header] = (await readFile(reportPath, 'utf8')).split('\n', 1);

    // It reads the report from a pipe, and so waits for us. All that it knows by then is from before the other one began.
    await rm(reportPath);
    await promisify(execFile)('mkfifo', [reportPath]);
    const late = runCli(argsOf(path), env());
    // A pipe cannot be opened in this way before somebody reads it.
    const pipe = await until(() => open(reportPath, O_WRONLY | O_NONBLOCK).catch(() => undefined));
    await rm(reportPath);
    await writeFile(reportPath, `${header}\n`);
    const claimed = JSON.stringify({ ...(await stateOf(path)), pid: process.ppid });
    await writeFile(`${reportPath}.state`, claimed);
    await pipe.writeFile(`${header}\n`);
    await pipe.close();

    const { exitCode, stderr } = await late;
    assert.match(stderr, new RegExp(`Process ${process.ppid} is at work on .*people\\.csv\\.report\\.csv`));
    assert.equal(exitCode, 1);
    assert.equal(await readFile(reportPath, 'utf8'), `${header}\n`);
    assert.equal(JSON.stringify(await stateOf(path)), claimed, 'the other one is still at work');
  });

  it('that can no longer be reported says so and that it can be gone on with, which sends nothing twice', async () => {
    const path = join(folder, 'full.csv');
    await writeFile(path, `to\n${numberOf('+15556', 1)}\n`);
    const inTheWay = `${path}.report.csv.state.new`;
    // From the moment that the run is claimed, as when the disk is full then.
    const { exitCode, stderr } = await runCli(argsOf(path), env(), () => mkdirSync(inTheWay));
    assert.match(stderr, /full\.csv\.report\.csv: EISDIR.*\nWithin 23 hours: The same command goes on from here/);
    assert.equal(exitCode, 1);
    await rm(inTheWay, { recursive: true });
    assert.match((await runCli(argsOf(path), env())).stdout, /^1 of 1 rows: 1 accepted/);
  });

  it('ends when the file is written over meanwhile, and sends to nobody who was not in it', async () => {
    const path = join(folder, 'changed.csv');
    const write = (prefix: string, filler: number) => {
      const rows = Array.from({ length: LONG_ROWS }, (_, row) => `${numberOf(prefix, row)},${'x'.repeat(filler)}`);
      return writeFile(path, `to,note\n${rows.join('\n')}\n`);
    };
    await write('+15557', 1_000);
    const { child, ended } = startCli(argsOf(path), env());
    await until(async () => (await readFile(`${path}.report.csv`, 'utf8').catch(() => '')).split('\n').length > 50);
    assert.equal((await stateOf(path)).pid, child.pid, 'it tells others that it is at work');
    await write('+15558', 1_003);
    const { exitCode, stderr } = await ended;
    assert.match(stderr, /changed\.csv has changed since it was looked through/);
    assert.equal(exitCode, 1);
    const report = (await readFile(`${path}.report.csv`, 'utf8')).trimEnd().split('\n').slice(1);
    for (const [row, line] of report.entries())
      assert.ok(line.startsWith(`${row + 2},${numberOf('+15557', row)},accepted,`), line);
    const transmits = (await transmitsOf(gateway.sandbox)).map(({ to }) => `+${String(to).replace('+', '')}`);
    assert.deepEqual(
      transmits.filter((to) => !/^\+1555[46]/.test(to)).sort(),
      report.map((line) => line.split(',')[1]).sort(),
    );
  });
});
