import { readFileSync } from 'node:fs';

/** The soft limit, which Node sets to the hard one when it starts. */
const LINE = /^Max open files +(\d+)/m;

/** How many files and connections this process may have open at once; undefined if there is no limit, or it is not known. */
export function openFilesMax(): number | undefined {
  try {
    const [, max] = LINE.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return max === undefined ? undefined : Number(max);
  } catch {
    return undefined; // Only Linux has this file.
  }
}
