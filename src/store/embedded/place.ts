import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { errorCodeOf } from '../../kernel/error-code.ts';

/** A user that the server runs as. */
export interface RunAs {
  uid: number;
  gid: number;
}

/** Where everything of the embedded server is, and which user runs it. */
export interface Place {
  baseDir: string;
  /** The database cluster. It exists only once it has been made completely. */
  clusterDir: string;
  clusterExists: boolean;
  /** The user who runs the server, if we are root: PostgreSQL refuses to run as root. */
  runAs: RunAs | undefined;
}

/** This folder outlives reboots, and everybody may enter it, unlike root's home. */
const OUTSIDE_DIR = '/var/lib';

/**
 * Finds or makes the place of the embedded server: inside the data folder, except where we are root and the user who
 * runs the server could not get there. Then it is outside, and a file in the data folder says where. The caller holds the lock of the data
 * folder: of two places that are chosen at once, one would be lost.
 */
export async function choosePlace(dataDir: string, log: { warn(message: string): void }): Promise<Place> {
  const isRoot = process.getuid?.() === 0;
  const known = await findBaseDir(dataDir);
  if (known !== undefined) await refuseLost(dataDir, known);
  const baseDir = known ?? (await chooseBaseDir(dataDir, isRoot, log));
  await mkdir(baseDir, { recursive: true });
  // Others may pass through to what is theirs, but cannot list the folder.
  await chmod(baseDir, isRoot ? 0o711 : 0o700);
  return await placeIn(baseDir, isRoot);
}

/** Finds the place that a start has chosen, and makes nothing; undefined if there is no cluster. Needs no lock. */
export async function findPlace(dataDir: string): Promise<Place | undefined> {
  const baseDir = (await findBaseDir(dataDir)) ?? resolve(dataDir, 'postgres');
  const place = await placeIn(baseDir, process.getuid?.() === 0);
  return place.clusterExists ? place : undefined;
}

async function placeIn(baseDir: string, isRoot: boolean): Promise<Place> {
  const clusterDir = join(baseDir, 'cluster');
  const owner = await stat(clusterDir).catch(undefinedIfMissing);
  refuseStranger(owner, clusterDir, isRoot);
  const runAs = isRoot ? await chooseUser(owner) : undefined;
  return { baseDir, clusterDir, clusterExists: owner !== undefined, runAs };
}

/** Whether every user may enter this folder: each folder above it lets others pass. */
export async function othersMayEnter(dir: string): Promise<boolean> {
  let current = await realpath(dir);
  for (;;) {
    if (((await stat(current)).mode & 0o001) === 0) return false;
    const parent = dirname(current);
    if (parent === current) return true;
    current = parent;
  }
}

/** For a file that may be missing: any other error is thrown. */
export function undefinedIfMissing(error: unknown): undefined {
  if (errorCodeOf(error) === 'ENOENT') return undefined;
  throw error;
}

/** Where the data folder says that the place is; undefined if it says nothing. */
async function findBaseDir(dataDir: string): Promise<string | undefined> {
  const location = (await readFile(locationFileOf(dataDir), 'utf8').catch(undefinedIfMissing))?.trim();
  if (location === undefined || isAbsolute(location)) return location;
  throw new Error(
    `${locationFileOf(dataDir)} must name the folder of the embedded database, and does not. Write into it which of the folders ` +
      `${join(OUTSIDE_DIR, 'waypost-*')} that is; if none has been made yet, remove the file.`,
  );
}

function locationFileOf(dataDir: string): string {
  return join(dataDir, 'postgres-location');
}

async function chooseBaseDir(dataDir: string, isRoot: boolean, log: { warn(message: string): void }): Promise<string> {
  if (!isRoot || (await othersMayEnter(dataDir))) return resolve(dataDir, 'postgres');
  await refuseHidden(dataDir);
  const outside = join(OUTSIDE_DIR, `waypost-${randomBytes(6).toString('hex')}`);
  log.warn(`No other user than root may enter ${dataDir}, so the embedded database is kept in ${outside}`);
  // Before anything names it, so that a folder which is named and missing was once there.
  await mkdir(outside, { recursive: true, mode: 0o711 });
  // Whole or not at all: a full disk would leave a file that names nothing, in the way of every later start.
  const draft = `${locationFileOf(dataDir)}.new`;
  await writeFile(draft, `${outside}\n`, { flush: true });
  await rename(draft, locationFileOf(dataDir));
  return outside;
}

/** Refuses a place that is missing, as where only the data folder was restored: a new and empty database would look as if everything were lost. */
async function refuseLost(dataDir: string, baseDir: string): Promise<void> {
  if ((await stat(baseDir).catch(undefinedIfMissing)) !== undefined) return;
  throw new Error(
    `The embedded database is in ${baseDir}, as ${locationFileOf(dataDir)} says, and that folder is missing. Bring it back, as from a ` +
      'backup; to begin with an empty database, remove the file.',
  );
}

/** Refuses what was restored or moved to where it cannot be used, for the same reason. */
async function refuseHidden(dataDir: string): Promise<void> {
  const hidden = join(dataDir, 'postgres', 'cluster');
  if ((await stat(hidden).catch(undefinedIfMissing)) === undefined) return;
  throw new Error(
    `There is a database in ${hidden}, where no other user than root may enter, and PostgreSQL refuses to run as root. ` +
      'Move the data folder to where all users may enter, such as /var/lib.',
  );
}

function refuseStranger(owner: { uid: number } | undefined, clusterDir: string, isRoot: boolean): void {
  const uid = process.getuid?.();
  if (owner === undefined || uid === undefined || isRoot || owner.uid === uid) return;
  throw new Error(
    `The database in ${clusterDir} belongs to the user ${owner.uid}, and this is user ${uid}. Start Waypost as the user that ` +
      'started it first, or set DATABASE_URL.',
  );
}

/** The user who owns the cluster; before there is one, `nobody`, which every Unix has, so that we need not create a user. */
async function chooseUser(owner: RunAs | undefined): Promise<RunAs> {
  if (owner !== undefined) return { uid: owner.uid, gid: owner.gid };
  const users = await readFile('/etc/passwd', 'utf8');
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  if (uid === undefined || gid === undefined) {
    throw new Error(
      'PostgreSQL refuses to run as root, and there is no user "nobody". Start Waypost as another user, or set DATABASE_URL.',
    );
  }
  return { uid: Number(uid), gid: Number(gid) };
}
