import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Found once: each look for it makes a context, which is garbage itself. */
const collect = collection();

/** Collects everything that nobody holds. Twice: the second collection frees what buffers held. */
export function collectGarbage(): void {
  for (let collections = 0; collections < 2; collections++) collect();
}

/** One small collection, which only looks at what is young. */
export function collectYoungGarbage(): void {
  collect({ type: 'minor' });
}

/** V8's own, which a process has only when it asks for it. */
function collection(): (options?: { type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  if (typeof found !== 'function') throw new Error('This runtime lets nobody collect its garbage');
  return (options) => found(options);
}
