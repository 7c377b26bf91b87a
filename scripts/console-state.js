// Plain JavaScript without dependencies, because every start asks it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const CONSOLE_DIR = join(import.meta.dirname, '..', 'console');
export const DIST_DIR = join(CONSOLE_DIR, 'dist');
export const STAMP = '.built-from';

/**
 * The state of the built files. `built`: they were built from the present sources, or there are no sources to build from. It compares
 * contents and not times, which a fresh clone does not have. That takes some milliseconds.
 */
export function readConsoleState() {
  const sources = hashSources();
  if (sources === undefined) return 'built';
  const stamp = join(DIST_DIR, STAMP);
  if (!existsSync(stamp)) return 'missing';
  return readFileSync(stamp, 'utf8') === sources ? 'built' : 'old';
}

/** A production install has no development dependencies, and comes with a console that is already built. */
export function canBuildConsole() {
  try {
    return import.meta.resolve('vite') !== '';
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return false;
    throw error;
  }
}

/** The hash of everything that the build reads; undefined if there are no sources, as in an image that has only the built files. */
export function hashSources() {
  const src = join(CONSOLE_DIR, 'src');
  if (!existsSync(src)) return undefined;
  const below = readdirSync(src, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = below.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const hash = createHash('sha256');
  for (const path of [join(CONSOLE_DIR, 'index.html'), join(CONSOLE_DIR, 'vite.config.ts'), ...paths]) {
    hash.update(`${path.slice(CONSOLE_DIR.length)}\0`);
    hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}
