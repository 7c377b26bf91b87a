import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { missingTools, startPostgresTools } from '../failover/postgres-tools.ts';
import { freePort } from '../support/free-port.ts';
import { findQuickFolder } from '../support/quick-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/**
 * In the locale C, which the embedded server has, only ASCII letters are letters, and texts are in the order of their bytes. In this one other
 * letters are letters too, texts have another order, and even an ASCII letter has another capital one.
 */
const ICU_LOCALE = 'tr-TR';

it('everything that npm test asks for holds on the oldest PostgreSQL, and in another locale', {
  skip: missingTools(),
}, async (t) => {
  const servers = await startPostgresTools(t, await findQuickFolder());
  const port = String(await freePort());
  await servers.init('oldest', ICU_LOCALE);
  await servers.start('oldest', { port, listen_addresses: '127.0.0.1', max_connections: '300' });
  const TEST_DATABASE_URL = `postgresql://waypost@127.0.0.1:${port}/postgres`;
  // With this variable the suite would report to the runner of this file, and print nothing.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const suite = spawn('npm', ['test'], { cwd: ROOT, env: { ...environment, TEST_DATABASE_URL }, stdio: 'inherit' });
  const [code] = await once(suite, 'exit');
  assert.equal(code, 0);
});
