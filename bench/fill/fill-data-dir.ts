import { execFileSync } from 'node:child_process';
import { Client } from 'pg';
import type { Connection } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded/embedded.ts';
import { connectionOptions } from './connection.ts';
import { loadMessages } from './load-messages.ts';

export interface Filled {
  rows: number;
  seconds: number;
  databaseBytes: number;
}

/**
 * Fills the database in a data folder whose gateway is stopped. Meanwhile nothing is flushed, and what goes into new tables is not logged,
 * which is twice as quick. Afterwards everything is on the disk, as if a gateway had written it.
 */
export async function fillDataDir(
  dataDir: string,
  messages: number,
  onProgress: (what: string, rows: number) => void,
): Promise<Filled> {
  const startMs = performance.now();
  await withServer(dataDir, (connection) => runEach(connection, WITHOUT_LOG));
  const rows = await withServer(dataDir, async (connection) => {
    const written = await loadMessages({ connection, messages, nowMs: Date.now(), onProgress });
    await runEach(connection, WITH_LOG);
    return written;
  });
  if (process.platform !== 'win32') execFileSync('sync');
  const seconds = (performance.now() - startMs) / 1_000;
  const databaseBytes = await withServer(dataDir, sizeOf);
  return { rows, seconds, databaseBytes };
}

const WITHOUT_LOG = ["alter system set wal_level = 'minimal'", 'alter system set max_wal_senders = 0'];
const WITH_LOG = ['alter system reset wal_level', 'alter system reset max_wal_senders'];

async function withServer<T>(dataDir: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const tell = (message: string) => console.error(message);
  const embedded = await startEmbedded({
    dataDir,
    durable: false,
    log: { warn: tell, error: tell },
  });
  return await work(embedded.connection).finally(() => embedded.stop());
}

async function runEach(connection: Connection, statements: readonly string[]): Promise<void> {
  const client = new Client(connectionOptions(connection));
  await client.connect();
  for (const sql of statements) await client.query(sql);
  await client.end();
}

async function sizeOf(connection: Connection): Promise<number> {
  const client = new Client(connectionOptions(connection));
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  await client.end();
  return Number(rows[0]?.bytes);
}
