import type { Options } from './command-spec.ts';
import { usage } from './failure.ts';

/** A command that cannot be undone needs `--yes`, so that nobody runs it by accident from the shell's history. */
export function requireYes(options: Options, what: string): void {
  if (options.yes !== true) throw usage(`${what}\nIf you mean it, add --yes.`);
}
