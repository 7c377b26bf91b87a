import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, isText, type JsonObject, parseJson } from './read-json.ts';

const FILE = 'secrets.json';
const MEMBER = 'sandbox_app_secret';
const SECRET_BYTES = 32;

/**
 * The app secret kept in the data folder. It is made there when it is missing, in a file that only its owner may read;
 * what else stands in the file is kept.
 */
export async function keptAppSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE);
  const kept = await readSecrets(path);
  const secret = kept[MEMBER];
  if (isText(secret)) return secret;
  const made = randomBytes(SECRET_BYTES).toString('hex');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify({ ...kept, [MEMBER]: made }, null, 2)}\n`);
  return made;
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

/** Whoever reads meanwhile, or after a crash, sees the old file or the new one, never a part of it. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}
