import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Whether a folder is in /proc, or would be if it were made, whatever links lead there. Nothing can be made there, and Node never ends
 * trying to make a folder with those above it. An absolute path.
 */
export function isInProc(dir: string): boolean {
  for (let there = dir; ; there = dirname(there)) {
    try {
      return /^\/proc(\/|$)/.test(realpathSync(there));
    } catch {
      // It is not there, or may not be looked at: what is above it tells as much.
      if (there === dirname(there)) return false;
    }
  }
}
