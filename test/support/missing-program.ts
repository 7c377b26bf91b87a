import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Why a test cannot run a program of the system; false if it can. `variable` is the environment variable that can name another program. */
export function missingProgram(program: string, args: string[], variable: string): Promise<string | false> {
  return run(program, args).then(
    () => false,
    () => `There is no ${program}; ${variable} names another program`,
  );
}
