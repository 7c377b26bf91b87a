import { readFile } from 'node:fs/promises';
import { keptAppSecret } from './app-secret.ts';
import type { SandboxOptions } from './server.ts';

const PORT_DEFAULT = 8081;

/** Reads the sandbox's settings from the environment. One that cannot be read stops the start with a sentence. */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<SandboxOptions> {
  return {
    port: readNumber(env, 'WAYPOST_SANDBOX_PORT', { fallback: PORT_DEFAULT, max: 65_535 }),
    appSecret: (await givenAppSecret(env)) ?? (await keptAppSecret(env.WAYPOST_DATA_DIR || '.waypost')),
    callbackUrls: env.WAYPOST_CALLBACK_URL ? [readUrl(env, 'WAYPOST_CALLBACK_URL')] : [],
    latencyMs: readNumber(env, 'WAYPOST_SANDBOX_LATENCY_MS', { fallback: 0, max: 600_000 }),
    statuses: readSwitch(env, 'WAYPOST_SANDBOX_STATUSES'),
  };
}

/** As a gateway reads it, so that both have the same one; a parent gives it whole, whatever its own settings name. */
async function givenAppSecret(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env.WAYPOST_SANDBOX_APP_SECRET) return env.WAYPOST_SANDBOX_APP_SECRET;
  const path = env.WAYPOST_SANDBOX_APP_SECRET_FILE;
  if (!path) return undefined;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Error(
      `WAYPOST_SANDBOX_APP_SECRET_FILE cannot be read: ${error instanceof Error ? error.message : 'unknown reason'}.`,
    );
  });
  return text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
}

function readNumber(
  env: NodeJS.ProcessEnv,
  name: string,
  { fallback, max }: { fallback: number; max: number },
): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= max)) throw new Error(`${name} must be a whole number from 0 to ${max}.`);
  return number;
}

function readUrl(env: NodeJS.ProcessEnv, name: string): string {
  const url = URL.parse(env[name] ?? '');
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Error(`${name} must be an http or https address.`);
  return url.href;
}

function readSwitch(env: NodeJS.ProcessEnv, name: string): 'on' | 'off' {
  const text = env[name] || 'on';
  if (text !== 'on' && text !== 'off') throw new Error(`${name} must be on or off.`);
  return text;
}
