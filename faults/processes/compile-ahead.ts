import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Keeps the compiled sources of gateway and sandbox in a folder, and returns the settings with which they use it. A start then takes half
 * the processor time. Only a process that ends by itself writes these files, and those of a run are killed.
 */
export async function compileAhead(dir: string): Promise<Record<string, string>> {
  const settings = { NODE_COMPILE_CACHE: dir };
  const codeOf = async (args: string[], env: Record<string, string> = {}) => {
    const own = { PATH: process.env.PATH, ...settings, ...env };
    const [code] = await once(spawn(process.execPath, args, { cwd: ROOT, env: own, stdio: 'ignore' }), 'exit');
    return code;
  };
  const [gateway, sandbox] = await Promise.all([
    codeOf(['scripts/compile-ahead.js', dir]),
    // Started with a setting that it refuses: by then everything is loaded, and nothing runs yet.
    codeOf(['sandbox/main.ts'], { WAYPOST_SANDBOX_PORT: 'none' }),
  ]);
  if (gateway !== 0) throw new Error('The sources of the gateway could not be compiled ahead');
  if (sandbox === 0) throw new Error('The sandbox took a setting that it should refuse');
  return settings;
}
