import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { read } from '../support/tree.ts';

const run = promisify(execFile);
/** An install from the registry, on a machine that has other things to do. */
const STEP_TIMEOUT_MS = 600_000;

interface Stage {
  name: string;
  steps: { instruction: string; text: string }[];
}

/**
 * Carries the Dockerfile out without a container engine. Each stage is a folder, and its COPY and npm lines are carried out as they are.
 * Returns the folder of the last stage, and the ENV of the image.
 */
export async function buildImage(root: string, dir: string): Promise<{ app: string; env: Record<string, string> }> {
  const context = join(dir, 'context');
  await copyContext(root, context);
  const stages = readStages();
  for (const [place, stage] of stages.entries()) {
    const app = join(dir, stage.name || String(place));
    await mkdir(app);
    for (const { instruction, text } of stage.steps) {
      if (instruction === 'COPY') await copy(text, { dir, app, context });
      if (instruction === 'RUN' && text.startsWith('npm ')) await runNpm(text, app);
    }
  }
  const last = stages.at(-1);
  const env = last?.steps.filter(({ instruction }) => instruction === 'ENV').map(({ text }) => text.split(' ')) ?? [];
  return {
    app: join(dir, last?.name || String(stages.length - 1)),
    env: Object.fromEntries(env.flat().map((pair) => pair.split('=', 2))),
  };
}

/** Copies the files that git tracks or would add, without the folders that .dockerignore leaves out. */
async function copyContext(root: string, context: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root });
  const left = read('.dockerignore')
    .split('\n')
    .filter((line) => /^[a-z]/.test(line));
  const isLeft = (path: string) => /^\.|\.test\.ts$/.test(path) || left.some((folder) => path.startsWith(`${folder}/`));
  for (const path of stdout.split('\0').filter((path) => path !== '' && !isLeft(path))) {
    await mkdir(dirname(join(context, path)), { recursive: true });
    // A file that was deleted without a commit is still in the list.
    await cp(join(root, path), join(context, path)).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    });
  }
}

function readStages(): Stage[] {
  const stages: Stage[] = [];
  for (const line of read('Dockerfile').split('\n')) {
    const [, instruction = '', text = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') stages.push({ name: / AS (\w+)$/.exec(text)?.[1] ?? '', steps: [] });
    else if (instruction !== '') stages.at(-1)?.steps.push({ instruction, text });
  }
  return stages;
}

async function copy(text: string, { dir, app, context }: { dir: string; app: string; context: string }): Promise<void> {
  const [, stage, paths = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(text) ?? [];
  const sources = paths.split(' ');
  const target = sources.pop() ?? '';
  for (const source of sources) {
    const from = stage === undefined ? join(context, source) : join(dir, stage, source.replace(/^\/app\//, ''));
    const isFile = target.endsWith('/') && source !== '.';
    await cp(from, join(app, target, isFile ? (source.split('/').at(-1) ?? '') : ''), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

async function runNpm(text: string, app: string): Promise<void> {
  // A package that was fetched before is not fetched again. The lines are still those of the Dockerfile.
  const env = { ...process.env, NODE_ENV: '', npm_config_prefer_offline: 'true' };
  await run('sh', ['-c', text], { cwd: app, env, timeout: STEP_TIMEOUT_MS, maxBuffer: 1 << 26 });
}
