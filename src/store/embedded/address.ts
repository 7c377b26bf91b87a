import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../kernel/message-of.ts';
import type { Connection } from '../database.ts';
import { type RunAs, undefinedIfMissing } from './place.ts';

/** How the gateway reaches its server. Nobody else on the machine can use it. */
export interface Address {
  connection: Connection;
  /** Settings for the server's command line. */
  settings: string[];
  /** Removes what an earlier server may have left, before a server starts. */
  prepare(): Promise<void>;
  /** Removes what would stay behind after the server has stopped. */
  remove(): Promise<void>;
}

export const EMBEDDED_USER = 'waypost';
/** The database that every cluster has from its beginning. */
const DATABASE = 'postgres';
/** With a Unix socket the port is only a part of the socket's file name. */
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
      // A killed server leaves a lock file with a process id in it. By now that id may belong to another process.
      await rm(socketDir, { recursive: true, force: true });
      await makePrivateDir(socketDir, runAs);
    },
    remove: () => rm(socketDir, { recursive: true, force: true }),
  };
}

/**
 * For Windows, where such folders do not exist: loopback with a password. This has not been tried on a real Windows yet. The port is free
 * when it is chosen; if another program takes it before the server does, the server says so.
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
  if (owner !== undefined) await chown(dir, owner.uid, owner.gid).catch((error: unknown) => tellKept(error, owner));
}

/** In a container root may have no capabilities, or no other users, and on some file systems all files belong to one user. */
function tellKept(error: unknown, { uid }: RunAs): never {
  throw new Error(
    `PostgreSQL refuses to run as root, and its folder cannot be given to the user ${uid}: ${messageOf(error)}. Start Waypost as ` +
      'another user, or set DATABASE_URL.',
    { cause: error },
  );
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
