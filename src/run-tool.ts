/** A fault that a person can mend, in sentences, printed without a stack. Exit code 2 means that the command line is wrong. */
export class PlainFault extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs the program of a command such as `npm run backup`. It returns the exit code, 0 if nothing. Options that `parseArgs`
 * refuses, files that cannot be read or written, and a `PlainFault` are told in a sentence. Anything else is a fault of ours,
 * and shows where it comes from.
 */
export async function runTool(main: () => Promise<number> | Promise<void>): Promise<void> {
  watchOutput();
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
  // Its further sentences are about arguments that begin with a dash, which no command takes.
  if ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'))
    return new PlainFault(`${error.message.split('. ')[0]} (add --help for help).`, 2);
  return 'syscall' in error ? new PlainFault(error.message) : undefined;
}

/**
 * A reader that closes a pipe, as `| head` does, ends nothing but the output. Output that is lost for another reason, such as a
 * full disk, must not look like success, and `console` says nothing of it.
 */
function watchOutput(): void {
  let told = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || told) return;
    told = true;
    console.error(`What was to be printed could not be written: ${error.message}`);
    process.once('exit', () => {
      process.exitCode = 1;
    });
  });
}
