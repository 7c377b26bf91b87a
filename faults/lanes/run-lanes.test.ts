import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCleanup } from '../../bench/harness/cleanup.ts';
import { until } from '../../test/support/until.ts';
import { startLane } from './lane.ts';
import { runLanes } from './run-lanes.ts';

/**
 * Takes the place of a lane's program, whose runs would take too long here. Each run says which process made it, and the run of seed 13
 * never ends.
 */
const PROGRAM = `
process.once('disconnect', () => process.exit(0));
process.on('message', (order) => {
  const { seed } = JSON.parse(order);
  if (seed === 13) process.exit(3);
  const sheet = { runs: 1, passed: 1 };
  setImmediate(() => process.send(JSON.stringify({ seed, text: String(process.pid), sheet })));
});
process.send(JSON.stringify({ smallDisk: true }));
`;
const SEEDS = Array.from({ length: 12 }, (_, seed) => seed);

describe('lanes', () => {
  let dir = '';
  let program = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'waypost-lanes-'));
    program = join(dir, 'program.mjs');
    await writeFile(program, PROGRAM);
  });
  after(() => rm(dir, { recursive: true, force: true }));

  it('run each seed once, several at a time, each lane in a process of its own that ends with it', async () => {
    const cleanup = createCleanup();
    const pids = new Set<number>();
    try {
      const lanes = await Promise.all([0, 1, 2].map((place) => startLane(cleanup, place, program)));
      const told: number[] = [];
      const reports = await runLanes(lanes, { seeds: SEEDS, short: true }, ({ seed, text }) => {
        told.push(seed);
        pids.add(Number(text));
      });
      assert.deepEqual(
        reports.map(({ seed }) => seed),
        SEEDS,
      );
      assert.deepEqual(
        told.toSorted((a, b) => a - b),
        SEEDS,
      );
      assert.equal(pids.size, 3);
    } finally {
      await cleanup.run();
    }
    for (const pid of pids) await until(() => !isRunning(pid));
  });

  it('name the seed of a run that has no end, and why', async () => {
    const cleanup = createCleanup();
    try {
      const lanes = [await startLane(cleanup, 0, program)];
      const running = runLanes(lanes, { seeds: [12, 13, 14], short: true }, () => undefined);
      await assert.rejects(running, (error: Error) => {
        assert.match(error.message, /seed 13/);
        assert.match(String(error.cause), /Lane 0 .*code 3/);
        return true;
      });
    } finally {
      await cleanup.run();
    }
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
