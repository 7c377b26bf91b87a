// Plain JavaScript, so that a Node that cannot run the gateway can still say why.
import module from 'node:module';
import { join } from 'node:path';

const NODE_MAJOR_MIN = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major < NODE_MAJOR_MIN) {
  console.error(
    `Waypost needs Node ${NODE_MAJOR_MIN} or newer, and this is ${process.version}. Start it with "npm start", which brings its own.`,
  );
  process.exit(1);
}
// Each thread has a heap of its own in the C library, and nothing here keeps more than one of these busy.
process.env.UV_THREADPOOL_SIZE ??= '2';
// The stripped and compiled sources are kept: later starts are quicker, and do without the compiler's memory.
module.enableCompileCache(join(process.env.WAYPOST_DATA_DIR ?? '.waypost', 'compile-cache'));
await import('../src/main.ts');
