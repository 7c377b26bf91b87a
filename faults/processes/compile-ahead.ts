import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Each with a setting that it refuses: by then everything is loaded, and nothing is started. */
const REFUSED = [
  { program: 'scripts/start.js', env: { PORT: 'none' } },
  { program: 'sandbox/main.ts', env: { WAYPOST_SANDBOX_PORT: 'none' } },
];

/**
 * Keeps the compiled sources of gateway and sandbox in a folder, and returns the settings with which they use it: a start
 * then takes half the processor time. Only a process that ends by itself writes them, and those of a run are killed.
 */
export async function compileAhead(dir: string): Promise<Record<string, string>> {
  const settings = { NODE_COMPILE_CACHE: dir };
  const starts = REFUSED.map(async ({ program, env }) => {
    const own = { PATH: process.env.PATH, ...settings, ...env };
    const [code] = await once(spawn(process.execPath, [program], { cwd: ROOT, env: own, stdio: 'ignore' }), 'exit');
    if (code === 0) throw new Error(`${program} took a setting that it should refuse`);
  });
  await Promise.all(starts);
  return settings;
}
