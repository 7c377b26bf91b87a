import type { Options } from './command-spec.ts';
import { usage } from './failure.ts';

/** What cannot be undone needs `--yes`, so that no line of a history does it by accident. */
export function requireYes(options: Options, what: string): void {
  if (options.yes !== true) throw usage(`${what}\nIf you mean it, add --yes.`);
}
