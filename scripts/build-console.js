// Builds the console into console/dist, if it is not built from these sources yet.
import { copyFileSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONSOLE_DIR, canBuildConsole, DIST_DIR, hashSources, readConsoleState, STAMP } from './console-state.js';

/** A build takes seconds. A build folder that is older than this was left by a build that died. */
const BUILD_MS_MAX = 120_000;
/** The console is built in this folder and moved at the end, so that half a build is never served. The folder is also the lock. */
const BUILDING_DIR = join(CONSOLE_DIR, '.dist-building');

const sources = hashSources();
if (sources !== undefined && readConsoleState() !== 'built') {
  if (!canBuildConsole())
    fail('The console cannot be built without the development dependencies. Run "npm ci" with them.');
  else if (takeLock()) {
    // Otherwise the next start would take the folder for a build that is under way, and leave the console to it.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, breakOff);
    await build(sources);
  }
}

function breakOff() {
  rmSync(BUILDING_DIR, { recursive: true, force: true });
  process.exit(1);
}

async function build(stamp) {
  try {
    const vite = await import('vite');
    const configFile = join(CONSOLE_DIR, 'vite.config.ts');
    await vite.build({ configFile, logLevel: 'warn', build: { outDir: BUILDING_DIR, emptyOutDir: true } });
    // The reference of the API is shown by one file of a package that has a hundred others. None of these is needed to run it.
    const bundle = fileURLToPath(import.meta.resolve('redoc/bundles/redoc.standalone.js'));
    copyFileSync(bundle, join(BUILDING_DIR, 'redoc.standalone.js'));
    writeFileSync(join(BUILDING_DIR, STAMP), stamp);
    rmSync(DIST_DIR, { recursive: true, force: true });
    renameSync(BUILDING_DIR, DIST_DIR);
  } catch (error) {
    fail(`The console could not be built.\n${error.message}`);
  } finally {
    rmSync(BUILDING_DIR, { recursive: true, force: true });
  }
}

function fail(sentence) {
  console.error(sentence);
  process.exitCode = 1;
}

/** Returns false, after a sentence, if another process is building at this moment, or if nothing can be written. */
function takeLock() {
  try {
    mkdirSync(BUILDING_DIR);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') fail(`The console could not be built: ${error.message}`);
    else if (Date.now() - (statSync(BUILDING_DIR, { throwIfNoEntry: false })?.mtimeMs ?? 0) < BUILD_MS_MAX)
      fail(`Another process is building the console. If it was killed, remove ${BUILDING_DIR}.`);
    else {
      rmSync(BUILDING_DIR, { recursive: true, force: true });
      return takeLock();
    }
    return false;
  }
}
