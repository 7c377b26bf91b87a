import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { flushFolder } from '../../kernel/flush-folder.ts';
import { messageOf } from '../../kernel/message-of.ts';
import { EMBEDDED_USER, makePrivateDir, passwordFile } from './address.ts';
import { type Place, undefinedIfMissing } from './place.ts';
import { serverEnvironment } from './server.ts';

const DRAFT = 'cluster.new-';
/** Making a cluster takes a second. A machine in trouble may need much longer, but must not wait for ever. */
const INITDB_TIMEOUT_MS = 300_000;
/** What `initdb` says where the system has no name for its user. The server itself asks for none. */
const NAMELESS = /could not look up effective user ID/;
const run = promisify(execFile);

/** The major version of PostgreSQL that made the cluster; `undefined` if there is none yet. */
export async function clusterMajor({ clusterDir }: Place): Promise<number | undefined> {
  const version = await readFile(join(clusterDir, 'PG_VERSION'), 'utf8').catch(undefinedIfMissing);
  return version === undefined ? undefined : Number.parseInt(version, 10);
}

/**
 * Makes the cluster in a folder of its own, and renames that when it is complete and on the disk. A start that was cut off leaves a draft,
 * which the next start throws away.
 */
export async function makeCluster(place: Place, binDir: string, stopping: AbortSignal): Promise<void> {
  const { baseDir, clusterDir, runAs } = place;
  for (const name of await readdir(baseDir)) {
    if (name.startsWith(DRAFT)) await rm(join(baseDir, name), { recursive: true, force: true, maxRetries: 5 });
  }
  const draftDir = join(baseDir, `${DRAFT}${randomBytes(4).toString('hex')}`);
  await makePrivateDir(draftDir, runAs);
  await run(join(binDir, 'initdb'), ['-D', draftDir, ...initdbOptions(baseDir)], {
    ...runAs,
    cwd: draftDir,
    env: serverEnvironment(),
    timeout: INITDB_TIMEOUT_MS,
    signal: stopping,
  }).catch((error: unknown) => tellNameless(error, runAs?.uid ?? process.getuid?.()));
  await rename(draftDir, clusterDir);
  // Otherwise a power cut could undo this, and with it everything that was committed since.
  flushFolder(baseDir);
}

/** Throws what making a cluster threw; as a sentence for the operator where the user is only a number, as a container may be given one. */
function tellNameless(error: unknown, uid: number | undefined): never {
  if (!NAMELESS.test(messageOf(error))) throw error;
  throw new Error(
    `PostgreSQL makes no database for a user without a name, and the user ${uid} has no entry in /etc/passwd. Start Waypost as a user ` +
      'that has one, or set DATABASE_URL.',
    { cause: error },
  );
}

function initdbOptions(baseDir: string): string[] {
  const common = [
    '--encoding=UTF8',
    '--locale=C',
    `--username=${EMBEDDED_USER}`,
    '--data-checksums',
    '--no-instructions',
  ];
  // On a Unix socket: whoever may enter the socket's folder may connect. On Windows, where the server listens on loopback, a password is
  // asked for.
  if (process.platform !== 'win32') return [...common, '--auth=trust'];
  return [...common, '--auth=scram-sha-256', `--pwfile=${passwordFile(baseDir)}`];
}
