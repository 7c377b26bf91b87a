import { CommanderError } from 'commander';
import { watchClosedPipes } from './closed-pipe.ts';
import { accountCommand } from './commands/account.ts';
import { accountCommands } from './commands/accounts.ts';
import { channelCommands } from './commands/channels.ts';
import { configCommand } from './commands/config.ts';
import { doctorCommand } from './commands/doctor.ts';
import { endpointCommands } from './commands/endpoints.ts';
import { eventCommands } from './commands/events.ts';
import { keyCommands } from './commands/keys.ts';
import { messageCommands } from './commands/messages.ts';
import { platformCommands } from './commands/platform.ts';
import { sendCommands } from './commands/send.ts';
import { statisticsCommand } from './commands/statistics.ts';
import { templateCommands } from './commands/templates.ts';
import { EXIT, Failure, isSystemError } from './failure.ts';
import { createProgram } from './program.ts';
import type { Surroundings } from './surroundings.ts';
import { printableLines } from './table.ts';

const SPECS = [
  ...sendCommands,
  ...messageCommands,
  statisticsCommand,
  ...eventCommands,
  ...endpointCommands,
  ...templateCommands,
  ...channelCommands,
  accountCommand,
  ...accountCommands,
  ...keyCommands,
  ...platformCommands,
  configCommand,
  doctorCommand,
];

/** Runs one command line, which is given without the `waypost` before it. Returns the exit code. */
export async function runCommandLine(args: readonly string[], around: Surroundings): Promise<number> {
  let exitCode: number = EXIT.done;
  const onEnd = (code: number) => {
    exitCode = code;
  };
  try {
    await createProgram(SPECS, { around, isClosed: watchClosedPipes(around), onEnd }).parseAsync(args, {
      from: 'user',
    });
    return exitCode;
  } catch (error) {
    return exitCodeOf(error, around);
  }
}

function exitCodeOf(error: unknown, { stderr }: Surroundings): number {
  // Commander has already said what is wrong. Help that was asked for is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  // Any other error is a fault of ours.
  if (!(error instanceof Failure) && !isSystemError(error)) throw error;
  // It may quote what another program answered, or a file of a stranger.
  stderr.write(`${printableLines(error.message)}\n`);
  return error instanceof Failure ? error.exitCode : EXIT.failed;
}
