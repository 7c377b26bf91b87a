import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { startTestGateway } from '../../test/support/gateway.ts';
import { transmitsOf } from '../../test/support/transmits.ts';
import { until } from '../../test/support/until.ts';
import { runCli, startCli } from '../test-support.ts';

/** Each takes a request of its own. The second run takes seconds for them, and so can be ended before it has come to the last one. */
const ROWS = 40;
const RATE = '10';
const A_DAY_AGO_MS = 25 * 3_600_000;

it('a send from a file whose report was lost sends none twice once the keys have expired, also if it was gone on with before', async (t) => {
  const gateway = await startTestGateway({ settings: { WAYPOST_RATE_REQUESTS: RATE } });
  const folder = await mkdtemp(join(tmpdir(), 'waypost-lost-'));
  t.after(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true });
  });
  const path = join(folder, 'people.csv');
  const [report, state] = [`${path}.report.csv`, `${path}.report.csv.state`];
  const rows = Array.from({ length: ROWS }, (_, row) => `+15555${String(row).padStart(6, '0')},Hello ${row}`);
  await writeFile(path, `to,text\n${rows.join('\n')}\n`);
  const args = ['send', '--csv', path, '--text', '{{text}}'];
  const env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey };
  const reported = async () => (await readFile(report, 'utf8').catch(() => '')).split('\n').length - 2;
  assert.match((await runCli(args, env)).stdout, new RegExp(`^${ROWS} of ${ROWS} rows`));

  await rm(report);
  const second = startCli(args, env);
  await until(async () => (await reported()) > 0);
  second.child.kill('SIGINT');
  assert.equal((await second.ended).exitCode, 130);
  assert.ok((await reported()) < ROWS, 'it was ended before the last row');

  // A day later, the gateway has forgotten the keys.
  await gateway.database.query('delete from idempotency');
  const begunAt = new Date(Date.now() - A_DAY_AGO_MS).toISOString();
  await writeFile(state, JSON.stringify({ ...JSON.parse(await readFile(state, 'utf8')), begun_at: begunAt }));
  const third = await runCli(args, env);
  assert.equal((await transmitsOf(gateway.sandbox)).length, ROWS);
  assert.match(third.stderr, /24 hours[\s\S]*--force/);
  assert.equal(third.exitCode, 1);
});
