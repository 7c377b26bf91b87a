import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Found once: each look for it makes a context, which is garbage itself. */
const collect = collection();

/**
 * Collects everything that nobody holds, as often as V8 does before it gives up for want of memory. After an ordinary
 * collection, or two, tens of megabytes are left that a snapshot of the heap does not find.
 */
export function collectGarbage(): void {
  collect({ type: 'major', flavor: 'last-resort' });
}

const ROUNDS = 21;

/**
 * How many bytes of each round of the work the small collections leave, which only look at what is young: the median of 21, for code is
 * compiled meanwhile, and a great collection may come between.
 */
export async function keptByYoungCollections(work: () => Promise<unknown>): Promise<number> {
  const grownBy: number[] = [];
  let usedBefore = process.memoryUsage().heapUsed;
  for (let round = 0; round < ROUNDS; round++) {
    await work();
    collect({ type: 'minor' });
    const used = process.memoryUsage().heapUsed;
    grownBy.push(used - usedBefore);
    usedBefore = used;
  }
  return grownBy.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}

/** https://github.com/v8/v8/blob/main/src/extensions/gc-extension.h */
type CollectOptions = { type: 'minor' } | { type: 'major'; flavor: 'last-resort' };

/** V8's own, which a process has only when it asks for it. */
function collection(): (options: CollectOptions) => void {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  if (typeof found !== 'function') throw new Error('This runtime lets nobody collect its garbage');
  return (options) => found(options);
}
