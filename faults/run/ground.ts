import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../../bench/harness/cleanup.ts';
import { CLUSTER_VARIABLE } from '../../test/support/cluster.ts';
import { compileAhead } from '../processes/compile-ahead.ts';
import { createPorts } from '../processes/ports.ts';
import { type Postgres, startPostgres } from '../processes/postgres.ts';

/** What the runs of one lane share: a PostgreSQL, ports, a folder, and compiled sources. */
export interface Ground {
  postgres: Postgres;
  dir: string;
  /** The settings with which programs use the compiled sources, so that they need not be compiled at every start. */
  compiled: Record<string, string>;
  /** A port for a process that must come back at the same address. */
  takePort: () => Promise<number>;
  /** Ends the run that is under way, if there is one. */
  endRun: () => Promise<void>;
}

export async function prepareGround(cleanup: Cleanup, portsFrom: number): Promise<Ground> {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-faults-'));
  cleanup.add(() => rm(dir, { recursive: true, force: true }));
  const postgres = await startPostgres();
  cleanup.add(() => postgres.stop());
  // In this variable `createTestDatabase` finds the server for the database of each run.
  process.env[CLUSTER_VARIABLE] = JSON.stringify(postgres.connection);
  const compiled = await compileAhead(join(dir, 'compiled'));
  const ground: Ground = { postgres, dir, compiled, takePort: createPorts(portsFrom), endRun: async () => {} };
  cleanup.add(() => ground.endRun());
  return ground;
}
