import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Cleanup } from './cleanup.ts';
import { findOutsidePlace } from './gateway.ts';

/** Where the embedded PostgreSQL of a running gateway takes connections: the folder of its socket, and its port. */
export async function findEmbeddedStore(dataDir: string): Promise<{ host: string; port: string }> {
  const place = (await findOutsidePlace(dataDir)) ?? join(dataDir, 'postgres');
  // The lines of this file are described in https://www.postgresql.org/docs/current/storage-file-layout.html.
  const { 3: port = '', 4: host = '' } = (await readFile(join(place, 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
  return { host, port };
}

/** Connects to the embedded PostgreSQL of a running gateway, to fill it in a way that no customer could. */
export async function openEmbeddedStore(cleanup: Cleanup, dataDir: string): Promise<Client> {
  const { host, port } = await findEmbeddedStore(dataDir);
  const client = new Client({ host, port: Number(port), user: 'waypost', database: 'postgres' });
  await client.connect();
  cleanup.add(() => client.end());
  return client;
}
