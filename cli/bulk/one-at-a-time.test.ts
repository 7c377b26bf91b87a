import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startTestGateway } from '../../test/support/gateway.ts';
import { PATIENT } from '../../test/support/patient.ts';
import { runCli } from '../test-support.ts';

/** So many rows that reading their report again takes a while. They have one cell too many, and are not sent. */
const FAULTY_ROWS = 60_000;
const ROWS = 400;

describe('a report', () => {
  it('is written by one process, also where two of the same command go on at the same moment', async (t) => {
    const gateway = await startTestGateway({ settings: PATIENT, sandbox: { latencyMs: 50 } });
    const folder = await mkdtemp(join(tmpdir(), 'waypost-both-'));
    t.after(async () => {
      await gateway.stop();
      await rm(folder, { recursive: true });
    });
    const path = join(folder, 'people.csv');
    const numbers = Array.from({ length: ROWS }, (_, row) => `+15554${String(row).padStart(6, '0')}`);
    await writeFile(path, `to\n${'0770,\n'.repeat(FAULTY_ROWS)}${numbers.join('\n')}\n`);
    const env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey };
    const send = () => runCli(['send', '--csv', path, '--text', 'hello'], env);
    assert.match((await send()).stdout, /400 accepted, 60000 failed/);
    const whole = await readFile(`${path}.report.csv`, 'utf8');
    await writeFile(
      `${path}.report.csv`,
      whole
        .split('\n')
        .slice(0, 1 + FAULTY_ROWS)
        .join('\n')
        .concat('\n'),
    );

    const ended = await Promise.all([send(), send()]);
    const said = ended.map(({ stderr }) => stderr).join('\n');
    const report = (await readFile(`${path}.report.csv`, 'utf8'))
      .trimEnd()
      .split('\n')
      .slice(1 + FAULTY_ROWS);
    assert.equal(
      report.join('\n'),
      whole
        .trimEnd()
        .split('\n')
        .slice(1 + FAULTY_ROWS)
        .join('\n'),
      said,
    );
    assert.deepEqual(
      ended.map(({ exitCode }) => exitCode),
      [1, 1],
    );
    assert.match(said, /Process \d+ is at work on .*people\.csv\.report\.csv/);
  });
});
