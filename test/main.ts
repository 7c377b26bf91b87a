import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { PlainFault, runTool } from '../src/run-tool.ts';
import { glob } from './support/tree.ts';

const USAGE = `npm test -- [PATH...]

Runs all tests, or those whose paths begin so, such as "npm test -- src/messages".`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Those of whole programs come first: they wait for longest, and the others compute beside them. */
const FOLDERS = ['test', 'src', 'sandbox', 'faults', 'client', 'cli', 'console'];
/** Most of them wait for something, so more of them than there are processors keep these busy. */
const PROCESSES = 6;
/** To load the gateway takes longer than most files do, so files share a process; and few do, or the last process would run alone for long. */
const FILES_A_PROCESS_MAX = 8;

const RUNNER = [
  ...['--import', './test/support/end-in-time.ts'],
  ...['--test', '--test-global-setup=test/support/cluster.ts', `--test-concurrency=${PROCESSES}`],
];

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const paths = FOLDERS.flatMap((folder) => glob(`${folder}/**/*.test.ts`));
  const wanted = positionals.length === 0 ? FOLDERS : positionals;
  const chosen = paths.filter((path) => wanted.some((begin) => path.startsWith(begin)));
  if (chosen.length === 0) throw new PlainFault(`No test's path begins with ${positionals.join(' or ')}.`, 2);
  return runGroups(groupByFolder(chosen));
}

interface Group {
  name: string;
  paths: string[];
}

function groupByFolder(paths: readonly string[]): Group[] {
  const folders = [...Map.groupBy(paths, (path) => dirname(path))];
  return folders.flatMap(([folder, inFolder]) => {
    const count = Math.ceil(inFolder.length / FILES_A_PROCESS_MAX);
    return Array.from({ length: count }, (_, place) => ({
      name: `${folder.replaceAll('/', '-')}-${place + 1}`,
      paths: inFolder.filter((_path, index) => index % count === place),
    }));
  });
}

/** Returns the exit code of the runner. */
async function runGroups(groups: readonly Group[]): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-test-groups-'));
  try {
    const files = await Promise.all(groups.map((group, place) => writeGroup(dir, group, place)));
    const runner = spawn(process.execPath, [...RUNNER, ...files], { cwd: ROOT, stdio: 'inherit' });
    // It puts away what it has started. Ctrl-C reaches it too.
    process.on('SIGINT', () => undefined).on('SIGTERM', () => runner.kill());
    const [code] = await once(runner, 'exit');
    return typeof code === 'number' ? code : 1;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Writes a file that loads those of the group, each as a suite: so what a file prepares is prepared for its own tests only. */
async function writeGroup(dir: string, { name, paths }: Group, place: number): Promise<string> {
  // The runner takes files in the order of their names.
  const file = join(dir, `${String(place).padStart(3, '0')}-${name}.test.mjs`);
  const suites = paths.map((path) => {
    const url = pathToFileURL(join(ROOT, path)).href;
    return `describe(${JSON.stringify(path)}, () => import(${JSON.stringify(url)}));\n`;
  });
  await writeFile(file, `import { describe } from 'node:test';\n${suites.join('')}`);
  return file;
}

await runTool(main);
