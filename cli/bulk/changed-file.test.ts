import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startTestGateway } from '../../test/support/gateway.ts';
import { PATIENT } from '../../test/support/patient.ts';
import { transmitsOf } from '../../test/support/transmits.ts';
import { until } from '../../test/support/until.ts';
import { startCli } from '../test-support.ts';

const ROWS = 2_000;

describe('a send from a file', () => {
  it('ends when the file is written over meanwhile, and sends to nobody who was not in it', async (t) => {
    const gateway = await startTestGateway({ settings: PATIENT, sandbox: { latencyMs: 50 } });
    const folder = await mkdtemp(join(tmpdir(), 'waypost-changed-'));
    t.after(async () => {
      await gateway.stop();
      await rm(folder, { recursive: true });
    });
    const path = join(folder, 'people.csv');
    // The rows are long, so that what is read ahead is only a small part of the file.
    const write = (prefix: string, filler: number) => {
      const rows = Array.from(
        { length: ROWS },
        (_, row) => `${prefix}${String(row).padStart(6, '0')},${'x'.repeat(filler)}`,
      );
      return writeFile(path, `to,note\n${rows.join('\n')}\n`);
    };
    await write('+15557', 1_000);
    const env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey };
    const { ended } = startCli(['send', '--csv', path, '--text', 'hello'], env);
    await until(async () => (await readFile(`${path}.report.csv`, 'utf8').catch(() => '')).split('\n').length > 50);
    await write('+15558', 1_003);
    const { exitCode, stderr } = await ended;
    assert.match(stderr, /people\.csv has changed since it was looked through/);
    assert.equal(exitCode, 1);
    const report = (await readFile(`${path}.report.csv`, 'utf8')).trimEnd().split('\n').slice(1);
    for (const [row, line] of report.entries())
      assert.match(line, new RegExp(`^${row + 2},\\+15557${String(row).padStart(6, '0')},accepted,`));
    const transmits = await transmitsOf(gateway.sandbox);
    assert.deepEqual(
      transmits.map(({ to }) => `+${String(to).replace('+', '')}`).sort(),
      report.map((line) => line.split(',')[1]).sort(),
    );
  });
});
