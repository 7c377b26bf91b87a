/** The exit codes, as the help and docs/guides/command-line.md promise them. */
export const EXIT = {
  /** Everything was done: all recipients were accepted, or are valid. */
  done: 0,
  /** A call failed, or something in it did: a recipient, a check, a signature. */
  failed: 1,
  /** The command line is wrong, or a file that it names; nothing was sent. */
  usage: 2,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;

/** What went wrong and what to do, in sentences for a person. It is printed as it stands, without a stack. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Whether the system refuses something, such as a full disk or a file that may not be written. That is for a person to mend. */
export function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

/** For a command line that is wrong: only another one can succeed. */
export function usage(message: string): Failure {
  return new Failure(message, EXIT.usage);
}
