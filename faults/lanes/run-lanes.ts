import type { Lane } from './lane.ts';
import type { SeedReport } from './run-seed.ts';

/**
 * Carries the runs of all seeds out, side by side in the lanes: each takes the next seed when it is free. `tell` hears of
 * every run when it ends, so not in the order of their seeds. The reports come in that order.
 */
export async function runLanes(
  lanes: readonly Lane[],
  { seeds, short }: { seeds: readonly number[]; short: boolean },
  tell: (report: SeedReport) => void,
): Promise<SeedReport[]> {
  const waiting = seeds.values();
  const reports: SeedReport[] = [];
  const work = async (lane: Lane) => {
    // One iterator for all lanes: what one has taken, no other gets.
    for (const seed of waiting) {
      const report = await lane.run(seed, short);
      reports.push(report);
      tell(report);
    }
  };
  await Promise.all(lanes.map(work));
  return reports.sort((a, b) => a.seed - b.seed);
}
