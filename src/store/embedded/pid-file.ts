import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from './place.ts';

/** What a server writes down about itself. */
export interface PidFile {
  /** The process id. NaN if a start was cut off while it made the file. */
  pid: number;
  port: number;
  /** Empty if the server has no socket, or has not opened it yet. */
  socketDir: string;
  /** `starting`, `ready`, `stopping` and others; empty or undefined before the server has a state. */
  state: string | undefined;
}

/** The path of the file of the server on this cluster. */
export function pidFileOf(clusterDir: string): string {
  return join(clusterDir, 'postmaster.pid');
}

/**
 * Reads the file; undefined if there is none. The first line has the process id, the fourth and fifth have the port and the folder of the
 * socket, and the eighth has the state.
 */
export async function readPidFile(clusterDir: string): Promise<PidFile | undefined> {
  const text = await readFile(pidFileOf(clusterDir), 'utf8').catch(undefinedIfMissing);
  if (text === undefined) return undefined;
  const [pid = '', , , port = '', socketDir = '', , , state] = text.split('\n');
  return { pid: Number.parseInt(pid, 10), port: Number(port), socketDir: socketDir.trim(), state: state?.trim() };
}
