import { readFileSync } from 'node:fs';
import { usage } from './failure.ts';
import { messageOf } from './message-of.ts';

/** A secret from a file, or from standard input as `-`: never from the command line, which others can read. */
export function readSecretFile(path: string, option: string): string {
  try {
    const secret = readFileSync(path === '-' ? 0 : path, 'utf8').trim();
    if (secret !== '') return secret;
  } catch (error) {
    throw usage(`The file of ${option} cannot be read: ${messageOf(error)}`);
  }
  throw usage(`The file of ${option} is empty.`);
}
