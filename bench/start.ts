import type { Cleanup } from './harness/cleanup.ts';
import { type Spread, spreadOf } from './harness/figures.ts';
import { makeDataDir, startGateway } from './harness/gateway.ts';

export interface StartResult {
  firstSeconds: Spread;
  laterSeconds: Spread;
  targets: { firstSecondsMax: number; laterSecondsMax: number };
}

const TARGETS = { firstSecondsMax: 10, laterSecondsMax: 2 };
const LATER_STARTS = 3;

/** Measures the time from the start of the process to its welcome, as `npm start` does it: with the database and the sandbox. */
export async function benchStart(cleanup: Cleanup, rounds: number): Promise<StartResult> {
  const first: number[] = [];
  const later: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const dataDir = await makeDataDir(cleanup);
    first.push(await startOnce(cleanup, dataDir));
    for (let start = 0; start < LATER_STARTS; start++) later.push(await startOnce(cleanup, dataDir));
  }
  return { firstSeconds: spreadOf(first), laterSeconds: spreadOf(later), targets: TARGETS };
}

async function startOnce(cleanup: Cleanup, dataDir: string): Promise<number> {
  const startMs = performance.now();
  const gateway = await startGateway(cleanup, dataDir, { WAYPOST_LOG_LEVEL: 'warn' });
  const seconds = (performance.now() - startMs) / 1_000;
  await gateway.stop();
  return seconds;
}
