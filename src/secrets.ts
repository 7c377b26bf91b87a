import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Config, isMasterKey, isPlatformKey } from './config.ts';
import { errorCodeOf } from './kernel/error-code.ts';
import { isRecord } from './kernel/is-record.ts';

/** Everything secret that the process needs, complete. The first of a list is current; all of it is valid. */
export interface Secrets {
  appSecrets: string[];
  verifyTokens: string[];
  platformKeys: string[];
  masterKey: Buffer;
  sandboxAppSecret: string;
}

/**
 * Completes the given secrets from `secrets.json` in the data folder (mode 0600), making there what is still missing.
 * In production only the sandbox's own secret is ever made: the settings have been checked for all others before. Throws a
 * sentence for the operator if the sandbox would sign as the provider does, if the file is not as it was made, or if it cannot
 * be read or written.
 */
export function completeSecrets(config: Config): Secrets {
  try {
    return completeFrom(config);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new Error(`WAYPOST_DATA_DIR must be a folder that can be written to: ${error.message}`, { cause: error });
  }
}

function completeFrom(config: Config): Secrets {
  const path = join(config.dataDir, 'secrets.json');
  for (;;) {
    const kept = readKept(path);
    const { complete, made } = complement(config, kept ?? {});
    if (Object.keys(made).length === Object.keys(kept ?? {}).length) return complete;
    if (kept !== undefined) writePrivateJson(path, made);
    else if (!createPrivateJson(path, made)) continue; // Another process was first: its secrets are the ones to use.
    return complete;
  }
}

function complement(config: Config, kept: Record<string, string>) {
  const made = { ...kept };
  const one = (name: string, make: () => string) => {
    made[name] ??= make();
    return made[name];
  };
  const { secrets } = config;
  const orMade = (given: string[], name: string, make: () => string) => (given.length > 0 ? given : [one(name, make)]);
  const complete: Secrets = {
    appSecrets: orMade(secrets.appSecrets, 'app_secret', hexSecret),
    verifyTokens: orMade(secrets.verifyTokens, 'verify_token', hexSecret),
    platformKeys: orMade(secrets.platformKeys, 'platform_key', () => `wp_root_${hexSecret()}`),
    masterKey: Buffer.from(secrets.masterKey ?? one('master_key', () => randomBytes(32).toString('base64')), 'base64'),
    sandboxAppSecret: secrets.sandboxAppSecret ?? one('sandbox_app_secret', hexSecret),
  };
  checkApart(complete);
  return { complete, made };
}

/** Which of the two has signed decides whether a notification touches live channels, and the sandbox signs what anybody tells it. */
function checkApart({ appSecrets, sandboxAppSecret }: Secrets): void {
  if (!appSecrets.includes(sandboxAppSecret)) return;
  throw new Error(
    'The sandbox has an app secret of its own (WAYPOST_SANDBOX_APP_SECRET, else that of secrets.json), which must be none of ' +
      'the others (WAYPOST_APP_SECRETS, else that of secrets.json).',
  );
}

/** Writes a JSON file that only its owner can read, whole or not at all. It outlasts a power cut that comes afterwards. */
export function writePrivateJson(path: string, value: unknown): void {
  renameSync(draftJson(path, value), path);
  flushFolder(dirname(path));
}

/** The same, but never over a file that is there already: false then. */
function createPrivateJson(path: string, value: unknown): boolean {
  const draft = draftJson(path, value);
  try {
    linkSync(draft, path);
    flushFolder(dirname(path));
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

function draftJson(path: string, value: unknown): string {
  makeFolder(dirname(path));
  const draft = `${path}.${process.pid}.new`;
  // The database flushes what it seals with the master key: the key must not be lost where that is kept.
  writeFileSync(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600, flush: true });
  return draft;
}

/** With the folders above it that are missing. Each stands in the one above. */
function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = resolve(folder); made.length >= resolve(first).length; made = dirname(made))
    flushFolder(dirname(made));
}

/** A file's name is kept by its folder, which is flushed apart. Windows does that by itself, and cannot open a folder. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

function hexSecret(): string {
  return randomBytes(32).toString('hex');
}

function readKept(path: string): Record<string, string> | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const kept = parseKept(text);
  if (kept === undefined)
    throw new Error(
      `What is in ${path} is not as Waypost has made it: it must be a JSON object of texts, with keys of the right form. Mend ` +
        'it, or bring it back from a backup: without its master key nothing opens what the database has sealed.',
    );
  return kept;
}

/** Undefined if anything is wrong: what the parser says would quote the secrets, and an empty one would let anybody sign. */
function parseKept(text: string): Record<string, string> | undefined {
  try {
    const kept: unknown = JSON.parse(text);
    if (!isRecord(kept)) return undefined;
    const isTold = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string' && !!entry[1];
    const entries = Object.entries(kept);
    if (!entries.every(isTold)) return undefined;
    const isRight = ([name, secret]: [string, string]) =>
      name === 'master_key' ? isMasterKey(secret) : name !== 'platform_key' || isPlatformKey(secret);
    return entries.every(isRight) ? Object.fromEntries(entries) : undefined;
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
