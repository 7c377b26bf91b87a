import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, openDatabase } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded/embedded.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { findQuickFolder } from './quick-folder.ts';

/** The environment variable in which the test processes find the server of this run, as JSON. */
export const CLUSTER_VARIABLE = 'WAYPOST_TEST_CLUSTER';

/** A server for tests, whose data are thrown away. */
export interface TestCluster {
  connection: Connection;
  stop(): Promise<void>;
}

/**
 * Whoever waits for a lock looks for a circle once, after this time, and is ended if it finds one. Tests that close a circle behind somebody
 * who waits must be done by then; the server's usual second is too little on a machine that stands still now and then.
 */
const DEADLOCK_TIMEOUT = '4s';

let published: TestCluster | undefined;
let quickTmp: string | undefined;

/** Called once by `node --test --test-global-setup` before the test files, which inherit its environment. */
export async function globalSetup(): Promise<void> {
  const quick = await findQuickFolder();
  if (quick !== tmpdir()) {
    quickTmp = await mkdtemp(join(quick, 'waypost-tests-'));
    // A server of root's is run by another user, who must get to its data.
    await chmod(quickTmp, 0o711);
    process.env.TMPDIR = quickTmp;
  }
  published = await startTestCluster();
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  process.env[CLUSTER_VARIABLE] = JSON.stringify(published.connection);
}

export async function globalTeardown(): Promise<void> {
  try {
    await published?.stop();
    if (quickTmp !== undefined) await rm(quickTmp, { recursive: true, force: true });
  } catch (error) {
    // The runner calls this again and again, and never ends, as long as it rejects: so a disk that a killed test has left mounted would be
    // told nobody.
    console.error(error);
    process.exitCode = 1;
  }
}

/** Starts a server in a folder of its own, or uses the one that TEST_DATABASE_URL names. */
export async function startTestCluster(): Promise<TestCluster> {
  const url = process.env.TEST_DATABASE_URL;
  if (url !== undefined) return { connection: { url }, stop: async () => undefined };
  const dataDir = await mkdtemp(join(await findQuickFolder(), 'waypost-test-'));
  const embedded = await startEmbedded({ dataDir, durable: false, log: quietLog });
  await lookForCirclesLater(embedded.connection);
  return {
    connection: embedded.connection,
    stop: async () => {
      await embedded.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function lookForCirclesLater(connection: Connection): Promise<void> {
  const server = openDatabase({ connection, connections: 1, onError: () => undefined });
  await server.query(`alter system set deadlock_timeout = '${DEADLOCK_TIMEOUT}'`);
  await server.query('select pg_reload_conf()');
  await server.close();
}

const quietLog = {
  warn: (message: string) => console.warn(message),
  error: (message: string) => console.error(message),
};
