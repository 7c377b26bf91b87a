import { createCleanup } from '../../bench/harness/cleanup.ts';
import { prepareGround } from '../run/ground.ts';
import { runSeed } from './run-seed.ts';

/**
 * A lane as a process of its own. It has its own PostgreSQL, disk, ports, folders and event loop, so that a run that breaks or blocks
 * something does not disturb another. It runs one seed after the other, as its parent says, until the parent is gone.
 */
const cleanup = createCleanup();
process.once('disconnect', () => void cleanup.run().finally(() => process.exit(0)));
const ground = await prepareGround(cleanup, Number(process.env.FAULTS_PORTS_FROM));
process.on('message', async (order) => {
  const { seed, short }: { seed: number; short: boolean } = JSON.parse(String(order));
  process.send?.(JSON.stringify(await runSeed(ground, seed, short)));
});
process.send?.(JSON.stringify({ smallDisk: ground.postgres.smallDisk }));
