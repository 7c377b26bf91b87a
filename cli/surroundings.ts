import type { Terminal } from './table.ts';

/** All that a command line has from the process in which it runs. A process is such a thing itself. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  /** For results. */
  stdout: Terminal;
  /** For remarks. */
  stderr: Terminal;
  /** Tells of Ctrl-C, and of who asks for the end in another way. */
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  /** Ends the process at once. */
  exit(exitCode: number): void;
}
