import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from './place.ts';

/** What a server writes down of itself. */
export interface PidFile {
  /** NaN: a start was cut off while it made the file. */
  pid: number;
  port: number;
  /** Empty where it has no socket, or has not opened it yet. */
  socketDir: string;
  /** `starting`, `ready`, `stopping` and others; none before the server has one. */
  state: string | undefined;
}

/** The path of the file of the server on this cluster. */
export function pidFileOf(clusterDir: string): string {
  return join(clusterDir, 'postmaster.pid');
}

/**
 * Reads it; undefined where there is none. The process id is in the first line, the port and the folder of the socket are in the
 * fourth and fifth, and the state is in the eighth.
 */
export async function readPidFile(clusterDir: string): Promise<PidFile | undefined> {
  const text = await readFile(pidFileOf(clusterDir), 'utf8').catch(undefinedIfMissing);
  if (text === undefined) return undefined;
  const [pid = '', , , port = '', socketDir = '', , , state] = text.split('\n');
  return { pid: Number.parseInt(pid, 10), port: Number(port), socketDir: socketDir.trim(), state: state?.trim() };
}
