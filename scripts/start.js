// Plain JavaScript, so that a Node that cannot run the gateway can still say why.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { listenEarly } from './early-stop.js';
import { limitHeap } from './limit-heap.js';

const NODE_MAJOR_MIN = 24;
const COMPILE_AHEAD = join(import.meta.dirname, 'compile-ahead.js');
const major = Number(process.versions.node.split('.')[0]);
if (major < NODE_MAJOR_MIN) {
  console.error(
    `Waypost needs Node ${NODE_MAJOR_MIN} or newer, and this is ${process.version}. Start it with "npm start", which brings its own.`,
  );
  process.exit(1);
}
const unknown = process.argv.slice(2).find((word) => word !== '--build-console');
if (unknown !== undefined) {
  console.error(
    `npm start takes no ${unknown}: settings are environment variables, such as PORT=9000. "npm run config" lists them.`,
  );
  process.exit(2);
}
const early = listenEarly();
// What lies in the data folder is run and trusted. So nobody else may write there, whatever the umask was.
process.umask(process.umask() | 0o022);
// Half of these threads may look up names, and each is taken for as long as a name server is silent. With fewer, the provider's name would
// hold up the database's. They cost no memory that could be seen.
process.env.UV_THREADPOOL_SIZE ??= '8';
// By itself the C library asks a name server again, or the next one, after five seconds. The database and the provider have less time for a
// whole connection: one lost answer was a failed one, and behind a first name server that is silent none was ever made.
process.env.RES_OPTIONS ??= 'timeout:1 attempts:5';
limitHeap();
const dataDir = process.env.WAYPOST_DATA_DIR?.trim() || '.waypost'; // Blank counts as not given, as in the settings.
await useCompiledSources(process.env.NODE_COMPILE_CACHE?.trim() || join(dataDir, 'compile-cache'));
if (process.argv.includes('--build-console')) await buildConsoleBeside();
const { runGateway } = await import('../src/main.ts');
await early.handOver(runGateway);

/**
 * The stripped and compiled sources are cached, so that later starts are quicker. The first start lets another process make them. So this
 * process never loads the stripper, which takes 25 MB and does not give them back.
 */
async function useCompiledSources(cacheDir) {
  const first = !existsSync(cacheDir);
  // The settings refuse such a folder with a sentence.
  if (!makeFolder(resolve(cacheDir))) return;
  if (first) await early.run([COMPILE_AHEAD, cacheDir], withoutSettings());
  module.enableCompileCache(cacheDir);
}

/**
 * Returns whether the folder exists. Makes it and those above it one by one, because Node's own `recursive` never ends in /proc, by
 * whatever link the folder is named.
 */
function makeFolder(dir) {
  if (existsSync(dir)) return true;
  if (dir === dirname(dir) || !makeFolder(dirname(dir))) return false;
  try {
    mkdirSync(dir);
    return true;
  } catch {
    return existsSync(dir); // Another start may have made it in this moment.
  }
}

/**
 * Builds in a process of its own, because the gateway needs nothing of it: it starts as quickly as without, and the memory of vite is freed
 * afterwards. Until then /console says that it is being built, and shows the console when it is.
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
  spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit'], env: withoutSettings() }).unref();
}

/**
 * The environment for programs that need no setting. The secrets are settings, and the packages that build the console are for development:
 * they have no use for what opens the database and the platform's API.
 */
function withoutSettings() {
  const isSetting = /^(WAYPOST_|OTEL_|DATABASE_URL|PG)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting.test(name)));
}
