import type { Lane } from './lane.ts';
import type { SeedReport } from './run-seed.ts';

/**
 * Does the runs of all seeds side by side in the lanes: each lane takes the next seed when it is free. `tell` is called when a run ends, so
 * not in the order of the seeds. The reports are returned in that order.
 */
export async function runLanes(
  lanes: readonly Lane[],
  { seeds, short }: { seeds: readonly number[]; short: boolean },
  tell: (report: SeedReport) => void,
): Promise<SeedReport[]> {
  const waiting = seeds.values();
  const reports: SeedReport[] = [];
  const work = async (lane: Lane) => {
    // All lanes share one iterator, so that no two lanes get the same seed.
    for (const seed of waiting) {
      const report = await lane.run(seed, short);
      reports.push(report);
      tell(report);
    }
  };
  await Promise.all(lanes.map(work));
  return reports.sort((a, b) => a.seed - b.seed);
}
