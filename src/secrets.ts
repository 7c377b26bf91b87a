import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from './config.ts';
import { errorCodeOf } from './kernel/error-code.ts';
import { flushFolder } from './kernel/flush-folder.ts';
import { isRecord } from './kernel/is-record.ts';
import { isMasterKey, isPlatformKey } from './secret-forms.ts';

/** All secrets that the process needs. The first of a list is the current one, and all of them are valid. */
export interface Secrets {
  appSecrets: string[];
  verifyTokens: string[];
  platformKeys: string[];
  masterKey: Buffer;
  sandboxAppSecret: string;
}

/** Somebody may have taken the file away between two looks; more often than this there is something in its place that is none. */
const LOOKS_MAX = 3;

/**
 * Completes the given secrets from `secrets.json` in the data folder (mode 0600), and makes there what is still missing. In
 * production that is the sandbox's own secret at most, because a start without the others is refused before. Throws a sentence
 * for the operator if the sandbox would sign as the provider does, or if the file is damaged or cannot be read or written.
 */
export function completeSecrets(config: Config): Secrets {
  return tellFolder(() => completeFrom(config));
}

function tellFolder<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new Error(`WAYPOST_DATA_DIR must be a folder that can be written to: ${error.message}`, { cause: error });
  }
}

function completeFrom(config: Config): Secrets {
  const path = join(config.dataDir, 'secrets.json');
  for (let looks = 1; looks <= LOOKS_MAX; looks++) {
    const kept = readKept(path);
    const { complete, made } = complement(config, kept ?? {});
    if (Object.keys(made).length === Object.keys(kept ?? {}).length) return complete;
    if (kept !== undefined) replacePrivateJson(path, made);
    else if (!createPrivateJson(path, made)) continue; // Another process was first: its secrets are the ones to use.
    return complete;
  }
  throw new Error(
    `${path} is there and cannot be read: a link that leads nowhere? Mend it, or take it away to have secrets made.`,
  );
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

/** Whose secret signed a notification decides whether it touches live channels, and the sandbox signs whatever it is told to. */
function checkApart({ appSecrets, sandboxAppSecret }: Secrets): void {
  if (!appSecrets.includes(sandboxAppSecret)) return;
  throw new Error(
    'The sandbox has an app secret of its own (WAYPOST_SANDBOX_APP_SECRET, else that of secrets.json), which must be none of ' +
      'the others (WAYPOST_APP_SECRETS, else that of secrets.json).',
  );
}

/**
 * Writes a JSON file of the data folder that only its owner can read, whole or not at all. Once this returns, it survives a power cut.
 * Throws a sentence for the operator if it cannot be written.
 */
export function writePrivateJson(path: string, value: unknown): void {
  tellFolder(() => replacePrivateJson(path, value));
}

function replacePrivateJson(path: string, value: unknown): void {
  withDraft(path, value, (draft) => renameSync(draft, path));
}

/** The same, but never over an existing file; false if there is one. */
function createPrivateJson(path: string, value: unknown): boolean {
  return withDraft(path, value, (draft) => {
    try {
      linkSync(draft, path);
      return true;
    } catch (error) {
      if (errorCodeOf(error) === 'EEXIST') return false;
      throw error;
    }
  });
}

/** Nothing is left of the draft, on a full disk neither: its name has the process id, so that no later start would take it away. */
function withDraft<T>(path: string, value: unknown, place: (draft: string) => T): T {
  makeFolder(dirname(path));
  const draft = `${path}.${process.pid}.new`;
  try {
    // The database keeps what is sealed with the master key through a power cut, so the key must survive it too.
    writeFileSync(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600, flush: true });
    const placed = place(draft);
    flushFolder(dirname(path));
    return placed;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Makes a folder, with those above it that are missing, and flushes the entry of each. */
function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = resolve(folder); made.length >= resolve(first).length; made = dirname(made))
    flushFolder(dirname(made));
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

/** Undefined if anything is wrong. The parser's own words would quote the secrets; and with an empty one anybody could sign. */
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
