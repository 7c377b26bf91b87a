import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * The environment in which a process or thread that runs our sources takes them compiled from where this process does, and keeps there what
 * it compiles. Empty if this process keeps none. Otherwise it would strip and compile them at each start, and the stripper, which stays loaded,
 * takes 25 MB.
 */
export function compiledSources(): { NODE_COMPILE_CACHE?: string } {
  const dir = getCompileCacheDir();
  // Node keeps them in a folder of its own version and flags below the one that it is given.
  return dir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(dir) };
}
