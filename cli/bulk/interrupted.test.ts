import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { startTestGateway } from '../../test/support/gateway.ts';
import { transmitsOf } from '../../test/support/transmits.ts';
import { undisturbed } from '../../test/support/undisturbed.ts';
import { until } from '../../test/support/until.ts';
import { startCli } from '../test-support.ts';

const ROWS = 1_000;
/**
 * Numbers that are refused with a code, are accepted and fail later, are taken or not while the answer is lost, stay silent, or are held.
 */
const MAGIC = [
  ...['+15550131026', '+15550000100', '+15550131047', '+15551131026'],
  ...['+15552000001', '+15552000002', '+15552000003', '+15552000004', '+15552000006'],
  ...['+15552000009', '+15552000011', '+15552000013', '0770'],
];

it('a send from a file that is interrupted and killed goes on, reports every row once and sends none twice', (t) =>
  // The file must not come to its end before it is killed.
  undisturbed(() => interruptAndKill(t)));

async function interruptAndKill(t: TestContext): Promise<void> {
  const gateway = await startTestGateway({
    settings: { WAYPOST_RATE_REQUESTS: '50', WAYPOST_RATE_RECIPIENTS: '500', WAYPOST_PROVIDER_TIMEOUT_MS: '1000' },
    sandbox: { latencyMs: 250 },
  });
  const folder = await mkdtemp(join(tmpdir(), 'waypost-resume-'));
  t.after(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true });
  });
  const path = join(folder, 'people.csv');
  const numbers = Array.from({ length: ROWS }, (_, row) => numberOf(row));
  await writeFile(path, `to,name\n${numbers.map((number, row) => `${number},Ada ${row}`).join('\n')}\n`);
  const template = ['--template', 'order_update', '--language', 'en_US', '--param', 'name'];
  const env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey };
  const start = () => startCli(['send', '--csv', path, ...template], env);
  const report = async () => (await readFile(`${path}.report.csv`, 'utf8').catch(() => '')).split('\n').slice(1, -1);
  const reported = (rows: number) => until(async () => (await report()).length >= rows, 60_000);

  const first = start();
  await reported(100);
  first.child.kill('SIGINT');
  const stopped = await first.ended;
  assert.equal(stopped.exitCode, 130);
  assert.match(stopped.stderr, /\nStopping as soon as [\s\S]*\nThe same command goes on from here/);
  const state = JSON.parse(await readFile(`${path}.report.csv.state`, 'utf8'));
  assert.equal(state.pid, 0, 'whoever gets its number later is not taken for it');

  const before = (await report()).length;
  assert.ok(before < 700, `${before} rows were done before it could be killed`);
  const second = start();
  await reported(before + 50);
  second.child.kill('SIGKILL');
  assert.equal((await second.ended).exitCode, null);
  // A crash may also cut a line short.
  const whole = await readFile(`${path}.report.csv`, 'utf8');
  await writeFile(`${path}.report.csv`, whole.slice(0, -7));
  assert.ok((await report()).length < ROWS);

  const { exitCode, stderr } = await start().ended;
  assert.equal(exitCode, 1, stderr);
  assert.match(stderr, / rows already: going on after them\.\n[\s\S]*, and were not sent again/);

  const rows = (await report()).map((line) => line.split(','));
  assert.deepEqual(
    rows.map(([row, to]) => `${row} ${to}`),
    numbers.map((number, row) => `${row + 2} ${number}`),
  );
  const transmits = await transmitsOf(gateway.sandbox);
  const byNumber = Map.groupBy(transmits, ({ to }) => `+${to?.replace('+', '')}`);
  for (const [, to = '', status, id, ...others] of rows) {
    // The id of the provider, and neither code nor detail: nothing is left of the line that was cut short.
    if (status === 'accepted') assert.equal(others.length, 3, `${to} has ${others}`);
    const seen = byNumber.get(to) ?? [];
    assert.ok(new Set(seen.map((transmit) => transmit.biz_opaque_callback_data)).size <= 1, `${to} is two messages`);
    assert.ok(
      seen.every((transmit) => transmit.biz_opaque_callback_data === id),
      `${to} has another id`,
    );
    const taken = seen.filter((transmit) => transmit.taken).length;
    assert.ok(status === 'accepted' ? taken === 1 : taken <= 1, `${to} is ${status} and was taken ${taken} times`);
  }
  const listed = new Set(rows.map(([, to]) => to));
  assert.deepEqual(
    [...byNumber.keys()].filter((to) => !listed.has(to)),
    [],
  );
}

/** The magic numbers stand far apart, so that they are in many batches. */
function numberOf(row: number): string {
  const magic = row % 71 === 5 ? MAGIC[(row - 5) / 71] : undefined;
  return magic ?? `+15553${String(row).padStart(6, '0')}`;
}
