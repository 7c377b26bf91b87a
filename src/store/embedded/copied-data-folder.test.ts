import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openDatabase } from '../database.ts';
import { startEmbedded } from './embedded.ts';

const SILENT = { warn() {}, error() {} };

it('a copy of a data folder does not stop the database of the first one, which lies outside of both', {
  skip: process.getuid?.() !== 0 && 'only root has this trouble',
  timeout: 400_000,
}, async (t) => {
  // Nobody else may enter it, as root's home.
  const home = await mkdtemp(join(tmpdir(), 'waypost-copied-'));
  t.after(() => rm(home, { recursive: true }));
  const [dataDir, copy] = [join(home, 'data'), join(home, 'copy')];
  const first = await startEmbedded({ dataDir, log: SILENT });
  t.after(first.stop);
  const outside = (await readFile(join(dataDir, 'postgres-location'), 'utf8')).trim();
  t.after(() => rm(outside, { recursive: true }));
  const database = openDatabase({ connection: first.connection, connections: 1, onError: () => undefined });
  t.after(() => database.close());
  const serverStart = () => database.query('select pg_postmaster_start_time() as at');
  const startedAt = await serverStart();

  await cp(dataDir, copy, { recursive: true });
  await assert.rejects(
    startEmbedded({ dataDir: copy, log: SILENT }),
    new RegExp(`Another Waypost \\(process ${process.pid}\\) is running on the database in ${outside}, which ${copy}/`),
  );
  assert.deepEqual(await serverStart(), startedAt);

  await database.close();
  await first.stop();
  await startAndStop(t, copy);
  await startAndStop(t, dataDir);
});

async function startAndStop(t: TestContext, dataDir: string): Promise<void> {
  const embedded = await startEmbedded({ dataDir, log: SILENT });
  t.after(embedded.stop);
  await embedded.stop();
}
