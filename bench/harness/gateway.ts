import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { failOnExit, stopChild, tellUnexpectedExit } from './child.ts';
import type { Cleanup } from './cleanup.ts';

const PROGRAM = fileURLToPath(new URL('../../scripts/start.js', import.meta.url));

export interface Gateway {
  origin: string;
  platformKey: string;
  pid: number;
  stop(): Promise<void>;
}

/** Makes a data folder for a bench. It is removed when the bench ends. */
export async function makeDataDir(cleanup: Cleanup): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-bench-'));
  cleanup.add(async () => {
    for (const dir of [dataDir, await findOutsidePlace(dataDir)])
      if (dir) await rm(dir, { recursive: true, force: true });
  });
  return dataDir;
}

/** As root, if others may not enter the data folder, the database is elsewhere, and a file says where. */
export async function findOutsidePlace(dataDir: string): Promise<string | undefined> {
  // Usually there is no such file.
  const outside = await readFile(join(dataDir, 'postgres-location'), 'utf8').catch(() => undefined);
  return outside?.trim();
}

/** Starts the gateway as its users do, with its embedded PostgreSQL. Resolves when it takes requests. */
export async function startGateway(
  cleanup: Cleanup,
  dataDir: string,
  settings: Record<string, string>,
  nodeOptions: string[] = [],
): Promise<Gateway> {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [...nodeOptions, PROGRAM], {
    // Only what the bench sets: the settings of whoever runs it must not change the figures.
    env: {
      PATH,
      PORT: '0',
      WAYPOST_METRICS_PORT: 'off',
      WAYPOST_SANDBOX_PORT: '0',
      WAYPOST_DATA_DIR: dataDir,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  tellUnexpectedExit(child, 'The gateway');
  const stop = () => stopChild(child, 'SIGTERM');
  cleanup.add(stop);
  await Promise.race([untilWelcome(child), failOnExit(child, 'The gateway')]);
  const dev: unknown = JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8'));
  const read = (name: string) => String(Reflect.get(Object(dev), name));
  return { origin: read('base_url'), platformKey: read('platform_key'), pid: child.pid ?? 0, stop };
}

async function untilWelcome(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error('The gateway was started with a pipe for its output');
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line === 'Waypost is ready.') resolve();
    });
  });
}
