import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { PATIENT } from '../../test/support/patient.ts';
import { transmitsOf } from '../../test/support/transmits.ts';
import { until } from '../../test/support/until.ts';
import { runCli, startCli } from '../test-support.ts';

/** So many rows that reading their report again takes a while. They have one cell too many, and are not sent. */
const FAULTY_ROWS = 20_000;
const ROWS = 400;
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

const argsOf = (path: string) => ['send', '--csv', path, '--text', 'hello'];
const env = () => ({ WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey });
const numberOf = (prefix: string, row: number) => `${prefix}${String(row).padStart(6, '0')}`;

describe('a send from a file', () => {
  it('is reported by one process, also where two of the same command go on at the same moment', async () => {
    const path = join(folder, 'people.csv');
    const reportPath = `${path}.report.csv`;
    const numbers = Array.from({ length: ROWS }, (_, row) => numberOf('+15554', row));
    await writeFile(path, `to\n${'0770,\n'.repeat(FAULTY_ROWS)}${numbers.join('\n')}\n`);
    assert.match((await runCli(argsOf(path), env())).stdout, new RegExp(`400 accepted, ${FAULTY_ROWS} failed`));
    const whole = await readFile(reportPath, 'utf8');
    const begun = whole.split('\n').slice(0, 1 + FAULTY_ROWS);
    await writeFile(reportPath, `${begun.join('\n')}\n`);

    const ended = await Promise.all([1, 2].map(() => startCli(argsOf(path), env()).ended));
    const said = ended.map(({ stderr }) => stderr).join('\n');
    const sent = (report: string) => report.split('\n').slice(1 + FAULTY_ROWS);
    assert.deepEqual(sent(await readFile(reportPath, 'utf8')), sent(whole), said);
    assert.deepEqual(
      ended.map(({ exitCode }) => exitCode),
      [1, 1],
    );
    assert.match(said, /Process \d+ is at work on .*people\.csv\.report\.csv/);
  });

  it('ends when the file is written over meanwhile, and sends to nobody who was not in it', async () => {
    const path = join(folder, 'changed.csv');
    const write = (prefix: string, filler: number) => {
      const rows = Array.from({ length: LONG_ROWS }, (_, row) => `${numberOf(prefix, row)},${'x'.repeat(filler)}`);
      return writeFile(path, `to,note\n${rows.join('\n')}\n`);
    };
    await write('+15557', 1_000);
    const { ended } = startCli(argsOf(path), env());
    await until(async () => (await readFile(`${path}.report.csv`, 'utf8').catch(() => '')).split('\n').length > 50);
    await write('+15558', 1_003);
    const { exitCode, stderr } = await ended;
    assert.match(stderr, /changed\.csv has changed since it was looked through/);
    assert.equal(exitCode, 1);
    const report = (await readFile(`${path}.report.csv`, 'utf8')).trimEnd().split('\n').slice(1);
    for (const [row, line] of report.entries())
      assert.ok(line.startsWith(`${row + 2},${numberOf('+15557', row)},accepted,`), line);
    const transmits = (await transmitsOf(gateway.sandbox)).map(({ to }) => `+${String(to).replace('+', '')}`);
    assert.deepEqual(
      transmits.filter((to) => !to.startsWith('+15554')).sort(),
      report.map((line) => line.split(',')[1]).sort(),
    );
  });
});
