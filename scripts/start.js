// Plain JavaScript, so that a Node that cannot run the gateway can still say why.
import { spawn } from 'node:child_process';
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
if (process.argv.includes('--build-console')) await buildConsoleBeside();
await import('../src/main.ts');

/**
 * In a process of its own, because the gateway needs nothing of it: it starts as quickly as ever, and vite's memory is
 * gone afterwards. Until then /console says so, and shows the console by itself.
 */
async function buildConsoleBeside() {
  const { canBuildConsole, readConsoleState } = await import('./console-state.js');
  const state = readConsoleState();
  if (state === 'built') return;
  const told = `The console is ${state === 'old' ? 'older than its sources' : 'not built yet'}`;
  if (!canBuildConsole()) {
    console.error(`${told}, and this install cannot build it: "npm ci" with the development dependencies can.`);
    return;
  }
  console.error(`${told}: building it beside the start.`);
  const program = join(import.meta.dirname, 'build-console.js');
  spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit'] }).unref();
}
