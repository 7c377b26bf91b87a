import type { Queryable } from '../store/database.ts';
import type { PartedTable } from '../store/parted-tables.ts';
import type { Blocks } from './expire-store.ts';
import { listPartitions } from './partition-store.ts';
import type { Progress } from './task-store.ts';

/** Some thousand rows of a table, read once: a transaction of a fraction of a second. */
const BLOCKS_A_BATCH = 500;
const blocksOf = (share: number) => Math.ceil(BLOCKS_A_BATCH * share);

/** Behind the name of a week that is walked through for the second time. It sorts that place before the next week. */
const AGAIN = '+';

/** Does something to the rows in a stretch of blocks. */
export type DoToBlocks = (blocks: Blocks) => Promise<void>;

/**
 * Goes a stretch further through the weeks of a table that ended before a time, each block twice. Block by block, because
 * no index is then needed to find what is to be done, and a task that was cut off goes on where it was. Twice, because a row that
 * somebody writes before its turn comes may move to a block that was passed already. A week that was passed and is not past its time
 * was walked while the clocks were ahead: what was written into it since is still to be walked, so it waits for its time again. `share`:
 * see `BatchShares`.
 */
export async function walkPartitions(
  tx: Queryable,
  { parent, untilMs, share }: { parent: PartedTable; untilMs: number; share: number },
  { place, block }: Progress,
  doToBlocks: DoToBlocks,
): Promise<Progress & { more: boolean }> {
  const all = await listPartitions(tx, parent);
  const tooSoon = all.find((week) => week.untilMs > untilMs && (place ?? '') >= week.name);
  if (tooSoon !== undefined) return { place: tooSoon.name, block: 0, more: false };
  const weeks = all.filter((week) => week.untilMs <= untilMs);
  const walks = weeks
    .flatMap(({ name, blocks }) => [name, name + AGAIN].map((at) => ({ at, table: name, blocks })))
    .filter(({ at }) => at >= (place ?? ''));
  const [current, next] = walks;
  if (current === undefined) return { place, block, more: false };
  const from = current.at === place ? block : 0;
  if (from < current.blocks) {
    const to = from + blocksOf(share);
    await doToBlocks({ table: current.table, from, to });
    return { place: current.at, block: to, more: true };
  }
  if (next === undefined) return { place: current.at, block: from, more: false };
  return { place: next.at, block: 0, more: true };
}

/** The same for a table that is not parted, from its beginning to its end. */
export async function walkTable(
  { table, blocks, share }: { table: string; blocks: number; share: number },
  { block }: Progress,
  doToBlocks: DoToBlocks,
): Promise<Progress & { more: boolean }> {
  if (block >= blocks) return { place: null, block: 0, more: false };
  const to = block + blocksOf(share);
  await doToBlocks({ table, from: block, to });
  return { place: null, block: to, more: true };
}
