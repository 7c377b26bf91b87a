import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Looked up once, because each look-up makes a context, which becomes garbage itself. */
const collect = collection();

/**
 * Collects everything that nobody holds, by repeating as V8 does before it gives up for lack of memory. After one or two ordinary
 * collections, tens of megabytes are left that a snapshot of the heap does not show.
 */
export function collectGarbage(): void {
  collect({ type: 'major', flavor: 'last-resort' });
}

/** The bytes that are still in use after all garbage was collected, in the heap and outside it. Other tests of the process have left some. */
export function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const ROUNDS = 21;

/**
 * How many bytes of each round of the work are left by minor collections, which look only at young objects. It is the median of 21 rounds,
 * because code is compiled meanwhile, and a major collection may come in between.
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

/** V8's own function, which a process has only if it asks for it. */
function collection(): (options: CollectOptions) => void {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  if (typeof found !== 'function') throw new Error('This runtime lets nobody collect its garbage');
  return (options) => found(options);
}
