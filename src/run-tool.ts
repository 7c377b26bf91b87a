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
  // What follows the first sentence is about arguments that begin with a dash, which no command takes.
  if ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'))
    return new PlainFault(`${error.message.split('. ')[0]} (add --help for help).`, 2);
  return 'syscall' in error ? new PlainFault(error.message) : undefined;
}

/**
 * A reader that closes a pipe, as `| head` does, ends nothing but the output. What cannot be written for another reason,
 * such as a full disk, must not look like success; the console would keep it to itself.
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
