import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts';
import { type GatewayProcess, startGatewayProcess } from './process.ts';
import { type SandboxBeside, startSandboxBeside } from './sandbox-beside.ts';
import { until } from './until.ts';

export interface CrashWorld {
  db: TestDatabase;
  proxy: DatabaseProxy;
  sandbox: SandboxBeside;
  /** Starts a gateway with the same secrets on the same database. */
  startGateway(env?: Record<string, string>): Promise<GatewayProcess>;
  /** Resolves when the sandbox has read so many transmits. */
  untilTransmitted(count: number): Promise<boolean>;
}

/** A database that can be cut off, and a sandbox that posts no statuses and outlives every gateway. Both end with the test. */
export async function startCrashWorld(t: TestContext, latencyMs: number): Promise<CrashWorld> {
  const undo: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const step of undo.reverse()) await step();
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-crash-'));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const db = await createTestDatabase();
  undo.push(() => db.drop());
  const proxy = await startDatabaseProxy(db.url);
  undo.push(() => proxy.close());
  const sandbox = await startSandboxBeside({ latencyMs, statuses: 'off' });
  undo.push(() => sandbox.stop());
  return {
    db,
    proxy,
    sandbox,
    async startGateway(env = {}) {
      const gateway = await startGatewayProcess(dataDir, { ...sandbox.settings, DATABASE_URL: proxy.url, ...env });
      undo.push(() => gateway.kill());
      return gateway;
    },
    untilTransmitted: (count) => until(async () => (await sandbox.transmits()).length === count),
  };
}
