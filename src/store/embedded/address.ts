import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../database.ts';
import { type RunAs, undefinedIfMissing } from './place.ts';

/** How the gateway reaches its server, and nobody else does. */
export interface Address {
  connection: Connection;
  /** Settings of the server. */
  settings: string[];
  /** Cleans up what is left of the server before. */
  prepare(): Promise<void>;
  /** Removes what would be left behind. */
  remove(): Promise<void>;
}

export const EMBEDDED_USER = 'waypost';
/** Every cluster has it. */
const DATABASE = 'postgres';
/** With a socket only a part of its name. */
const SOCKET_PORT = 5432;
/** A socket's path has room for 107 bytes on Linux and 103 on macOS. */
const SOCKET_PATH_BYTES_MAX = 103;

/** A Unix socket in a folder that only the server's user may enter, and no TCP listener. */
export async function socketAddress(baseDir: string, runAs: RunAs | undefined): Promise<Address> {
  const inPlace = join(baseDir, 'run');
  const socketDir = fits(inPlace)
    ? inPlace
    : await mkdtemp(join(fits(join(tmpdir(), 'waypost-XXXXXX')) ? tmpdir() : '/tmp', 'waypost-'));
  return {
    connection: { socketDir, port: SOCKET_PORT, user: EMBEDDED_USER, database: DATABASE },
    settings: [
      'listen_addresses=',
      `port=${SOCKET_PORT}`,
      `unix_socket_directories="${socketDir.replaceAll('"', '""')}"`,
    ],
    prepare: async () => {
      // A killed server leaves a lock file with a process id, which may be another process's by now.
      await rm(socketDir, { recursive: true, force: true });
      await makePrivateDir(socketDir, runAs);
    },
    remove: () => rm(socketDir, { recursive: true, force: true }),
  };
}

/**
 * Windows has no such folders: loopback with a password. Nobody has tried this yet on a real Windows; the port is
 * free when it is chosen, and the server says so if it is not any more.
 */
export async function loopbackAddress(baseDir: string): Promise<Address> {
  const password = await readPassword(baseDir);
  const port = await freePort();
  return {
    connection: { url: `postgresql://${EMBEDDED_USER}:${password}@127.0.0.1:${port}/${DATABASE}` },
    settings: ['listen_addresses=127.0.0.1', `port=${port}`],
    prepare: async () => undefined,
    remove: async () => undefined,
  };
}

/** The file that `initdb` reads the password from; it is made at the first start. */
export function passwordFile(baseDir: string): string {
  return join(baseDir, 'password');
}

/** Makes a folder for the user who runs the server, and for nobody else. */
export async function makePrivateDir(dir: string, owner: RunAs | undefined): Promise<void> {
  await mkdir(dir, { mode: 0o700 });
  await chmod(dir, 0o700);
  if (owner !== undefined) await chown(dir, owner.uid, owner.gid);
}

function fits(socketDir: string): boolean {
  return Buffer.byteLength(join(socketDir, `.s.PGSQL.${SOCKET_PORT}`)) <= SOCKET_PATH_BYTES_MAX;
}

async function readPassword(baseDir: string): Promise<string> {
  const known = await readFile(passwordFile(baseDir), 'utf8').catch(undefinedIfMissing);
  if (known !== undefined) return known.trim();
  const password = randomBytes(24).toString('hex');
  await writeFile(passwordFile(baseDir), `${password}\n`, { mode: 0o600, flush: true });
  return password;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port');
  return address.port;
}
