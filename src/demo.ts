import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createAccount } from './accounts/accounts.ts';
import { hashApiKey } from './accounts/api-key.ts';
import { findKeysByHash } from './accounts/key-store.ts';
import { createKey } from './accounts/keys.ts';
import type { App } from './app.ts';
import { errorCodeOf } from './kernel/error-code.ts';
import { formatId } from './kernel/ids.ts';
import { type Secrets, writePrivateJson } from './secrets.ts';
import type { Database } from './store/database.ts';

/** The content of `dev.json`: what a developer on this machine needs. */
export interface DevFile {
  base_url: string;
  sandbox_url: string | null;
  console_url: string;
  account_id: string;
  test_key: string;
  platform_key: string;
  sandbox_app_secret: string;
}

interface Deps {
  database: Database;
  app: App;
  secrets: Secrets;
  dataDir: string;
  baseUrl: string;
  sandboxUrl: string | undefined;
}

/**
 * Makes the demonstration account with a test key, or finds the one of an earlier start, and writes `dev.json` (mode
 * 0600) into the data folder. Never called in production.
 */
export async function prepareDemo({ database, app, secrets, dataDir, baseUrl, sandboxUrl }: Deps): Promise<DevFile> {
  const path = join(dataDir, 'dev.json');
  const kept = await findKept(database, path);
  const { accountId, key } = kept ?? (await makeDemo(database, app));
  const dev: DevFile = {
    base_url: baseUrl,
    sandbox_url: sandboxUrl ?? null,
    console_url: `${baseUrl}/console`,
    account_id: accountId,
    test_key: key,
    platform_key: secrets.platformKeys[0] ?? '',
    sandbox_app_secret: secrets.sandboxAppSecret,
  };
  writePrivateJson(path, dev);
  return dev;
}

/**
 * For production: warns if the key of an earlier start, which `dev.json` still holds, opens this database too. Nothing else
 * would tell the operator of it.
 */
export async function warnOfDemo({ database, dataDir, log }: { database: Database; dataDir: string; log: Logger }) {
  const kept = await findKept(database, join(dataDir, 'dev.json'));
  if (kept === undefined) return;
  const { accountId: account_id, keyId: key_id } = kept;
  log.warn({ account_id, key_id, ended_by: `DELETE /platform/v1/keys/${key_id}` }, 'demonstration.key_works');
}

/** The audit log's word for who made the demonstration account and its key: no key of the platform's has asked for them. */
const ACTOR = 'first start';

async function makeDemo(database: Database, app: App): Promise<{ accountId: string; key: string }> {
  const account = await createAccount(database, { name: 'Demonstration', actor: ACTOR }, app.birth);
  const wish = { accountId: account.id, name: 'First test key', mode: 'test' as const, scopes: null, expiresAt: null };
  const { key } = await createKey(database, { ...wish, actor: ACTOR });
  return { accountId: account.id, key };
}

interface KeptDemo {
  accountId: string;
  keyId: string;
  key: string;
}

/** The key of an earlier start, if it can still send: it may have been revoked, or have expired after it was rolled. */
async function findKept(database: Database, path: string): Promise<KeptDemo | undefined> {
  const key: unknown = Reflect.get(Object(readJsonIfThere(path)), 'test_key');
  if (typeof key !== 'string') return undefined;
  const [row] = await findKeysByHash(database, [hashApiKey(key)]);
  if (row === undefined || row.suspended_at !== null) return undefined;
  if (row.valid_seconds !== null && row.valid_seconds <= 0) return undefined;
  return { accountId: row.account_id, keyId: formatId('key', row.id), key };
}

function readJsonIfThere(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // Somebody edited it. It is written again.
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
