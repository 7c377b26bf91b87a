import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../../bench/harness/cleanup.ts';
import { CLUSTER_VARIABLE } from '../../test/support/cluster.ts';
import { type Postgres, startPostgres } from '../processes/postgres.ts';

/** What all runs share: a PostgreSQL, and folders in which gateways keep their compiled sources. */
export interface Ground {
  postgres: Postgres;
  dir: string;
  /** Ends the run that is under way, if there is one. */
  endRun: () => Promise<void>;
}

export async function prepareGround(cleanup: Cleanup): Promise<Ground> {
  const postgres = await startPostgres();
  cleanup.add(() => postgres.stop());
  // Where `createTestDatabase` makes the database of each run.
  process.env[CLUSTER_VARIABLE] = JSON.stringify(postgres.connection);
  const dir = await mkdtemp(join(tmpdir(), 'waypost-faults-'));
  cleanup.add(() => rm(dir, { recursive: true, force: true }));
  const ground: Ground = { postgres, dir, endRun: async () => {} };
  cleanup.add(() => ground.endRun());
  return ground;
}
