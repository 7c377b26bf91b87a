import type { Api } from './api.ts';
import type { Output } from './output.ts';
import type { KeyKind, Settings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';

/** The options that were given on the command line, by their names in camel case. */
export type Options = Readonly<Record<string, unknown>>;

export interface OptionSpec {
  /** The option as commander reads it: `--to <number>`. */
  flags: string;
  about: string;
  /** Whether it may be given several times. */
  many?: true;
  required?: true;
  choices?: readonly string[];
}

export interface Invocation {
  args: readonly string[];
  options: Options;
  api: Api;
  settings: Settings;
  out: Output;
  around: Surroundings;
}

export interface CommandSpec {
  /** The whole command with its arguments: `messages get <id>`. A `list` is also what its group does without a further word. */
  use: string;
  about: string;
  /** Whose key it needs. */
  key: KeyKind | 'none';
  options?: readonly OptionSpec[];
  /** Command lines that show how it is used, without the `waypost` before them. */
  examples: readonly string[];
  /** Returns the exit code, if it is not 0. */
  run(invocation: Invocation): Promise<number | undefined>;
}

export const PAGING: readonly OptionSpec[] = [
  { flags: '--limit <number>', about: 'how many, 1 to 100 (50)' },
  { flags: '--cursor <cursor>', about: 'goes on where the last list ended' },
];

export function textOf(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

export function textsOf(options: Options, name: string): string[] {
  const value = options[name];
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

/** The named members of a query or body, from the options of the same names: `client_reference` is given as `--client-reference`. */
export function pick(options: Options, ...names: string[]): Record<string, string | undefined> {
  const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(names.map((name) => [name, textOf(options, camel(name))]));
}
