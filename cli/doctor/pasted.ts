import { type Options, textOf } from '../command-spec.ts';
import type { KeyKind } from '../settings.ts';

/**
 * A command line to paste. It names the gateway that was checked by the address that was given for it, and the key file if the command
 * needs a key of the same kind. Without these it would use the settings, which may name another gateway.
 */
export function pasted(command: string, key: KeyKind, options: Options): string {
  const url = textOf(options, 'url');
  const keyFile = key === 'account' ? textOf(options, 'keyFile') : undefined;
  const given = [
    ...(url === undefined ? [] : ['--url', quoted(url)]),
    ...(keyFile === undefined ? [] : ['--key-file', quoted(keyFile)]),
  ];
  return ['npx waypost', command, ...given].join(' ');
}

/** Quotes a text if a shell needs that: zsh takes the brackets of `[::1]` for a pattern. */
function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
