import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isObject, isText, type JsonObject, parseJson } from './read-json.ts';

const FILE = 'secrets.json';
const MEMBER = 'sandbox_app_secret';
const SECRET_BYTES = 32;

/**
 * The app secret that is kept in the data folder. If it is missing it is made, in a file that only its owner may read. Other members of the
 * file are kept.
 */
export async function keptAppSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE);
  const kept = await readSecrets(path);
  const secret = kept[MEMBER];
  if (isText(secret)) return secret;
  const made = randomBytes(SECRET_BYTES).toString('hex');
  try {
    await makeFolder(resolve(dataDir));
    await replaceFile(path, `${JSON.stringify({ ...kept, [MEMBER]: made }, null, 2)}\n`);
    return made;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown reason';
    throw new Error(`WAYPOST_DATA_DIR must be a folder that can be written to: ${why}.`);
  }
}

/** Makes a folder and those above it one by one. Node's own `recursive` never ends in /proc, by whatever link the folder is named. */
async function makeFolder(dir: string): Promise<void> {
  if (existsSync(dir)) return;
  if (dir !== dirname(dir)) await makeFolder(dirname(dir));
  await mkdir(dir, { mode: 0o700 }).catch((error: unknown) => {
    // A gateway may have made the folder in this moment.
    if (!existsSync(dir)) throw error;
  });
}

async function readSecrets(path: string): Promise<JsonObject> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{}';
    throw error;
  });
  const secrets = parseJson(text);
  if (!isObject(secrets)) throw new Error(`${path} is not a JSON object. Repair it or move it away.`);
  return secrets;
}

/**
 * Replaces the file as a whole: others who read it meanwhile, or after a crash or a power cut, see the old file or the new one, never a part
 * of it. Nothing is left of the draft, which may hold a gateway's master key.
 */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
