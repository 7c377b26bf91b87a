import { createCleanup } from '../../bench/harness/cleanup.ts';
import { prepareGround } from '../run/ground.ts';
import { runSeed } from './run-seed.ts';

/**
 * A lane as a process of its own: with its PostgreSQL, disk, ports and folders, and with its own event loop, so that nothing
 * that breaks or blocks in one run meets another. It runs one seed after the other, as it is told, until its parent is gone.
 */
const cleanup = createCleanup();
process.once('disconnect', () => void cleanup.run().finally(() => process.exit(0)));
const ground = await prepareGround(cleanup, Number(process.env.FAULTS_PORTS_FROM));
process.on('message', async (order) => {
  const { seed, short }: { seed: number; short: boolean } = JSON.parse(String(order));
  process.send?.(JSON.stringify(await runSeed(ground, seed, short)));
});
process.send?.(JSON.stringify({ smallDisk: ground.postgres.smallDisk }));
