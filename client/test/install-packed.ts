import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CLIENT = fileURLToPath(new URL('..', import.meta.url));
const TSC = fileURLToPath(new URL('../../node_modules/typescript-7/bin/tsc', import.meta.url));
const run = promisify(execFile);

/** A customer's project in a folder elsewhere, with the packed client in its `node_modules`. */
export interface Project {
  dir: string;
  /** The files of the package. */
  packed: string[];
  /** Checks the types of a file with each of these texts. Resolves with the compiler's output. */
  checkTypes(...texts: string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Builds the client, packs it as it would be published, and installs the package without any network. */
export async function installPacked(): Promise<Project> {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-customer-'));
  const source = join(dir, 'source');
  await mkdir(source);
  for (const name of ['package.json', 'README.md', 'LICENSE']) await cp(join(CLIENT, name), join(source, name));
  await run(process.execPath, [TSC, '-p', CLIENT, '--outDir', join(source, 'dist')]);
  const [pack] = JSON.parse(await npm(source, 'pack', '--json', '--pack-destination', dir));
  const project = join(dir, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "name": "customer", "private": true, "type": "module" }');
  await npm(project, 'install', '--offline', '--no-audit', '--no-fund', join(dir, pack.filename));
  return {
    dir: project,
    packed: pack.files.map(({ path }: { path: string }) => path),
    async checkTypes(...texts) {
      const files = texts.map((_, place) => `customer-${place}.ts`);
      for (const [place, file] of files.entries()) await writeFile(join(project, file), texts[place] ?? '');
      // Without the types of Node: the package must work with those that every runtime has.
      const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--lib', 'es2022,dom'];
      const check = ['--noEmit', '--types', '', '--skipLibCheck', 'false', ...options, ...files];
      return run(process.execPath, [TSC, ...check], { cwd: project }).then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      );
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** On Windows npm is a script of the shell. */
async function npm(cwd: string, ...words: string[]): Promise<string> {
  const { stdout } = await run('npm', words, { cwd, shell: process.platform === 'win32' });
  return stdout;
}
