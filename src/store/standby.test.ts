import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { openDatabase } from './database.ts';
import { startEmbedded } from './embedded/embedded.ts';
import { migrate } from './migrate.ts';

const SILENT = { warn: () => undefined, error: () => undefined };

it('a server that only follows another one is unavailable, also where it is asked for what is in no log', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-standby-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const start = async () => {
    const embedded = await startEmbedded({ dataDir, log: SILENT, durable: false });
    const database = openDatabase({ connection: embedded.connection, connections: 1, onError: () => undefined });
    const stop = async () => {
      await database.close();
      await embedded.stop();
    };
    t.after(stop);
    return { database, stop };
  };
  const first = await start();
  await migrate(first.database);
  const [at] = await first.database.query<{ data_directory: string }>('show data_directory');
  await first.stop();
  await writeFile(join(at?.data_directory ?? '', 'standby.signal'), '', { mode: 0o644 });

  const { database } = await start();
  assert.deepEqual(await database.query('select pg_is_in_recovery() as follows'), [{ follows: true }]);
  await assert.rejects(
    migrate(database),
    StoreUnavailable,
    'a start waits for it, although there is nothing to change',
  );
  await assert.rejects(database.query('update channel_pace set next_at = now()'), StoreUnavailable);
  await assert.rejects(database.query('select next_at from channel_pace'), StoreUnavailable);
});
