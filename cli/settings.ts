import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usage } from './failure.ts';
import { messageOf } from './message-of.ts';

/** An account's key opens /api/v1, and the platform's key opens /platform/v1. */
export type KeyKind = 'account' | 'platform';

/** A value and where it came from. */
export interface Sourced {
  value: string;
  source: string;
}

export interface Settings {
  url: Sourced | undefined;
  /** If a key is missing, `missing` says why. */
  keys: Record<KeyKind, Sourced | undefined>;
  /** The file that `npm start` writes, if there is one and it names this address. */
  dev: { path: string; values: Record<string, unknown> } | undefined;
}

interface Given {
  url?: string | undefined;
  keyFile?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const ENVIRONMENT_NAMES: Record<KeyKind, string> = { account: 'WAYPOST_API_KEY', platform: 'WAYPOST_PLATFORM_KEY' };
const DEV_MEMBERS: Record<KeyKind, string> = { account: 'test_key', platform: 'platform_key' };
const API_PATH = '/api/v1';
const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** Flags come first, then the environment, then the file that `npm start` has written. */
export function readSettings(given: Given, env: Environment): Settings {
  const dev = findDevFile(env);
  const url = checked(
    // A blank flag is refused, and no other setting is taken in its place: the variable of a script was empty, and the command may be one
    // that deletes.
    (given.url === undefined ? undefined : { value: given.url.trim(), source: '--url' }) ??
      sourced(env.WAYPOST_URL, 'WAYPOST_URL') ??
      sourced(textOf(dev?.values.base_url), dev?.path ?? ''),
  );
  // The keys of one gateway are never sent to another one.
  const ours = dev !== undefined && url?.value === textOf(dev.values.base_url) ? dev : undefined;
  const keyOf = (kind: KeyKind): Sourced | undefined => {
    const found =
      (given.keyFile === undefined ? undefined : readKeyFile(given.keyFile)) ??
      sourced(env[ENVIRONMENT_NAMES[kind]], ENVIRONMENT_NAMES[kind]) ??
      sourced(textOf(ours?.values[DEV_MEMBERS[kind]]), ours?.path ?? '');
    if (found !== undefined && !/^[\x21-\x7e]+$/.test(found.value))
      throw usage(`What is in ${found.source} is not a key: it has spaces or other characters that a key never has.`);
    return found;
  };
  return { url, keys: { account: keyOf('account'), platform: keyOf('platform') }, dev: ours };
}

/** Whether a key has the form of the platform's key, which does not open an account. */
export function isPlatformKey(key: string): boolean {
  return key.startsWith('wp_root_');
}

/** Enough of a key to distinguish it from others, and no more. */
export function maskKey(key: string): string {
  const [kind = ''] = /^wp_[a-z]+_/.exec(key) ?? [];
  return `${kind}…${key.slice(-4)}`;
}

export function noAddress(): Error {
  return usage('No gateway is known. Start one with "npm start", or name it with --url or WAYPOST_URL.');
}

export function noKey(kind: KeyKind): Error {
  const whose = kind === 'account' ? "an account's key" : 'a platform key';
  return usage(
    `This needs ${whose}, and none is known for this gateway. Give it in a file with --key-file, or in ${ENVIRONMENT_NAMES[kind]}.`,
  );
}

function sourced(value: string | undefined, source: string): Sourced | undefined {
  const trimmed = value?.trim();
  return trimmed ? { value: trimmed, source } : undefined;
}

function checked(url: Sourced | undefined): Sourced | undefined {
  if (url === undefined) return undefined;
  const { protocol, username, password } = URL.parse(url.value) ?? { protocol: '' };
  // In the text itself: the parts of a URL do not show a query or fragment that is empty.
  if (!/^https?:$/.test(protocol) || username || password || /[?# ]/.test(url.value))
    throw usage(`${url.source} must be an address such as https://waypost.example, and is "${url.value}".`);
  const value = url.value.replace(/\/+$/, '');
  // The start of a gateway prints both addresses. With the other one every call would be answered "There is no such path".
  if (value.endsWith(API_PATH))
    throw usage(
      `${url.source} must be the gateway's address, without ${API_PATH}: ${value.slice(0, -API_PATH.length)}`,
    );
  return { ...url, value };
}

function readKeyFile(path: string): Sourced {
  try {
    const value = readFileSync(path, 'utf8').trim();
    if (value !== '') return { value, source: path };
  } catch (error) {
    throw usage(`The key file ${path} cannot be read: ${messageOf(error)}`);
  }
  throw usage(`The key file ${path} is empty.`);
}

/** The file is in the gateway's data folder: in the current folder, or in the clone that this command line belongs to. */
function findDevFile(env: Environment): Settings['dev'] {
  const given = env.WAYPOST_DATA_DIR?.trim();
  const folders = given ? [given] : ['.waypost', join(PROJECT, '.waypost')];
  for (const folder of folders) {
    const path = join(folder, 'dev.json');
    try {
      return { path, values: Object(JSON.parse(readFileSync(path, 'utf8'))) };
    } catch {
      // The file is missing, or may not be read. The next place is tried; in the end, an error names the missing flags.
    }
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
