import { readFile } from 'node:fs/promises';
import { keptAppSecret } from './app-secret.ts';
import type { SandboxOptions } from './server.ts';

const PORT_DEFAULT = 8081;

/** Reads the sandbox's settings from the environment. A setting that cannot be read stops the start with a sentence. */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<SandboxOptions> {
  return {
    port: readNumber(env, 'WAYPOST_SANDBOX_PORT', { fallback: PORT_DEFAULT, max: 65_535 }),
    appSecret: (await givenAppSecret(env)) ?? (await keptAppSecret(given(env, 'WAYPOST_DATA_DIR') ?? '.waypost')),
    callbackUrls: readUrls(env, 'WAYPOST_CALLBACK_URL'),
    latencyMs: readNumber(env, 'WAYPOST_SANDBOX_LATENCY_MS', { fallback: 0, max: 600_000 }),
    statuses: readSwitch(env, 'WAYPOST_SANDBOX_STATUSES'),
  };
}

/** Reads a setting as the gateway does: a blank one counts as not given, and the line end of a file from Windows is dropped. */
function given(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/**
 * Reads the secret as a gateway does, so that both have the same one. A parent passes its secret on as a whole value, whatever its own
 * settings name.
 */
async function givenAppSecret(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const secret = given(env, 'WAYPOST_SANDBOX_APP_SECRET');
  const path = given(env, 'WAYPOST_SANDBOX_APP_SECRET_FILE');
  if (path === undefined) return secret;
  if (secret !== undefined)
    throw new Error(
      'WAYPOST_SANDBOX_APP_SECRET and WAYPOST_SANDBOX_APP_SECRET_FILE are both given, and only one of them can count.',
    );
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Error(
      `WAYPOST_SANDBOX_APP_SECRET_FILE cannot be read: ${error instanceof Error ? error.message : 'unknown reason'}.`,
    );
  });
  const line = text
    .split('\n')
    .map((one) => one.trim())
    .find((one) => one !== '');
  if (line === undefined)
    throw new Error(
      'WAYPOST_SANDBOX_APP_SECRET_FILE must be the path of a file with a value in it, and that is empty.',
    );
  return line;
}

function readNumber(
  env: NodeJS.ProcessEnv,
  name: string,
  { fallback, max }: { fallback: number; max: number },
): number {
  const text = given(env, name);
  if (text === undefined) return fallback;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= max)) throw new Error(`${name} must be a whole number from 0 to ${max}.`);
  return number;
}

function readUrls(env: NodeJS.ProcessEnv, name: string): string[] {
  const text = given(env, name);
  if (text === undefined) return [];
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Error(`${name} must be an http or https address.`);
  return [url.href];
}

function readSwitch(env: NodeJS.ProcessEnv, name: string): 'on' | 'off' {
  const text = given(env, name) ?? 'on';
  if (text !== 'on' && text !== 'off') throw new Error(`${name} must be on or off.`);
  return text;
}
