import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Has the names of a folder's files survive a power cut. They are kept in the folder, which is flushed separately from the files. Windows
 * does that by itself, and cannot open a folder.
 */
export function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
