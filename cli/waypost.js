#!/usr/bin/env node
// Plain JavaScript, so that a Node that cannot run the command line can still say why.
import module from 'node:module';

const NODE_MAJOR_MIN = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major < NODE_MAJOR_MIN) {
  console.error(
    `waypost needs Node ${NODE_MAJOR_MIN} or newer, and this is ${process.version}. Run it with "npx waypost" in the folder of Waypost, which has its own Node.`,
  );
  process.exit(1);
}
// The stripped and compiled sources are cached, which halves the time of a start.
module.enableCompileCache?.();
await import('./main.ts');
