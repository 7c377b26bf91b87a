import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/server.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createKey } from '../../src/accounts/keys.ts';
import { type App, createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { Mode, Scope } from '../../src/kernel/principal.ts';
import { completeSecrets, type Secrets } from '../../src/secrets.ts';
import type { Database } from '../../src/store/database.ts';
import { waitAtStart } from '../../src/wait-at-start.ts';
import { type CallOptions, callApi, type TestAnswer } from './call-api.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { watchAnswers } from './described-answers.ts';
import { registerCallback } from './register-callback.ts';

export { type CallOptions, callApi, readJson, type TestAnswer } from './call-api.ts';

export interface TestGateway {
  /** Without a final slash. */
  url: string;
  accountId: string;
  testKey: string;
  platformKey: string;
  /** Its secrets, such as those with which it verifies notifications. */
  secrets: Secrets;
  sandbox: Sandbox;
  database: Database;
  app: App;
  createKey(wish: { accountId?: string; mode?: Mode; scopes?: Scope[]; expiresAt?: Date }): Promise<string>;
  createAccount(name: string): Promise<string>;
  /** Makes a call with the account's test key, or with another one. A `body` that is not a string, bytes or a stream of bytes is sent as JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>;
  stop(): Promise<void>;
}

interface TestGatewayOptions {
  /** An existing database with the newest schema. It is dropped at the end. */
  testDatabase?: TestDatabase;
  settings?: Record<string, string>;
  sandbox?: Partial<SandboxOptions>;
  /** Silent if it is left out. */
  log?: Logger;
  /** Whether the sandbox posts its notifications to this gateway. If not, nothing follows a send. */
  callback?: boolean;
}

/**
 * A whole gateway in this process, with real HTTP, the real PostgreSQL and the sandbox. If an answer is not as the API description says,
 * the test fails.
 */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-gateway-'));
  const settings = {
    WAYPOST_DATA_DIR: dataDir,
    // Nobody listens there, because no test may reach the real provider.
    WAYPOST_PROVIDER_URL: 'http://127.0.0.1:9',
    WAYPOST_RATE_REQUESTS: '100000',
    WAYPOST_RATE_RECIPIENTS: '1000000',
  };
  const config = loadConfig({ ...settings, ...options.settings });
  const secrets = completeSecrets(config);
  const { database, drop } = options.testDatabase ?? (await createTestDatabase());
  const sandbox = await createSandbox({ port: 0, appSecret: secrets.sandboxAppSecret, ...options.sandbox });
  const { log = pino({ level: 'silent' }) } = options;
  const sandboxUrl = config.sandbox ? sandbox.url : undefined;
  // As at any start: a machine that stands still may let the time for a connection to the database pass.
  const runStep = waitAtStart({ log, limitMs: config.databaseWaitMs, stopping: new AbortController().signal });
  const app = await createApp({ config, secrets, database, log, sandboxUrl, runStep }).catch(async (error: unknown) => {
    // Or the process of the test would never end.
    await sandbox.close();
    throw error;
  });
  const answers = watchAnswers(app.server);
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  app.listened(url);
  await app.begin();
  if (options.callback === true) await registerCallback(sandbox.url, secrets.sandboxAppSecret, url);

  const makeAccount = async (name: string) => (await createAccount(database, { name, actor: 'test' }, app.birth)).id;
  const accountId = await makeAccount('Test account');
  const makeKey: TestGateway['createKey'] = async ({ accountId: of = accountId, mode = 'test', scopes, expiresAt }) => {
    const wish = { accountId: of, name: 'Test key', mode, scopes: scopes ?? null, expiresAt: expiresAt ?? null };
    return (await createKey(database, { ...wish, actor: 'test' })).key;
  };
  const testKey = await makeKey({});
  return {
    url,
    accountId,
    testKey,
    platformKey: secrets.platformKeys[0] ?? '',
    secrets,
    sandbox,
    database,
    app,
    createKey: makeKey,
    createAccount: makeAccount,
    async call(method, path, call) {
      const answer = await callApi(url, method, path, { key: testKey, ...call });
      answers.assertDescribed();
      return answer;
    },
    async stop() {
      try {
        await app.drain();
        await app.close();
      } finally {
        // Otherwise what went wrong would be told only when the process of the test ends, which it never would.
        await sandbox.close();
        await drop();
        await rm(dataDir, { recursive: true, force: true });
      }
      answers.assertDescribed();
    },
  };
}
