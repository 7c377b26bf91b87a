import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Cleanup } from './cleanup.ts';
import { findOutsidePlace } from './gateway.ts';

/** Connects to the embedded PostgreSQL of a gateway that runs, to fill it in a way that no customer could. */
export async function openEmbeddedStore(cleanup: Cleanup, dataDir: string): Promise<Client> {
  const place = (await findOutsidePlace(dataDir)) ?? join(dataDir, 'postgres');
  // Its lines are those of https://www.postgresql.org/docs/current/storage-file-layout.html: port and folder of the socket.
  const lines = (await readFile(join(place, 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
  const client = new Client({ host: lines[4], port: Number(lines[3]), user: 'waypost', database: 'postgres' });
  await client.connect();
  cleanup.add(() => client.end());
  return client;
}
