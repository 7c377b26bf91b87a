/** What a person can mend, in sentences. It is printed as it stands, without a stack; 2 says that the command line is wrong. */
export class PlainFault extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs the program of a command such as `npm run backup`, whose exit code is what it returns, else 0. Options that
 * `parseArgs` refuses, files that cannot be read or written and a `PlainFault` are told in a sentence; anything else is a
 * fault of ours and shows where it comes from.
 */
export async function runTool(main: () => Promise<number> | Promise<void>): Promise<void> {
  try {
    process.exitCode = Number((await main()) ?? 0);
  } catch (error) {
    const plain = asPlain(error);
    if (plain === undefined) throw error;
    console.error(plain.message);
    process.exitCode = plain.exitCode;
  }
}

function asPlain(error: unknown): PlainFault | undefined {
  if (error instanceof PlainFault) return error;
  if (!(error instanceof Error)) return undefined;
  // What follows the first sentence is about arguments that begin with a dash, which no command takes.
  if ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'))
    return new PlainFault(`${error.message.split('. ')[0]} (add --help for help).`, 2);
  return 'syscall' in error ? new PlainFault(error.message) : undefined;
}
