import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { missingProgram } from '../support/missing-program.ts';
import { read } from '../support/tree.ts';
import { until } from '../support/until.ts';

const PROGRAM = process.env.WAYPOST_TEST_CADDY ?? 'caddy';
const run = promisify(execFile);

/** Why no proxy can run here; false if one can. */
export const missingCaddy = () => missingProgram(PROGRAM, ['version'], 'WAYPOST_TEST_CADDY');

export interface Caddy {
  port: number;
  /** Everything that it has written: about calls, and about those that failed. */
  log(): string;
  /** Reads its settings again, as `systemctl reload caddy` lets it do. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** Runs the proxy of ops/Caddyfile before a gateway. Only addresses, folders and TLS are changed. */
export async function startCaddy(dir: string, gatewayPort: number): Promise<Caddy> {
  await mkdir(dir);
  const [port, adminPort] = [await freePort(), await freePort()];
  const admin = `127.0.0.1:${adminPort}`;
  const conf = read('ops/Caddyfile')
    .replace('{\n', `{\n\tadmin ${admin}\n\tauto_https off\n\tstorage file_system ${dir}\n`)
    .replace('waypost.example {', `http://127.0.0.1:${port} {`)
    .replace('127.0.0.1:8080', `127.0.0.1:${gatewayPort}`);
  const path = join(dir, 'Caddyfile');
  await writeFile(path, conf);
  const env = { ...process.env, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir };
  const child = spawn(PROGRAM, ['run', '--adapter', 'caddyfile', '--config', path], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let written = '';
  child.stderr.on('data', (chunk) => (written += String(chunk)));
  const gone = once(child, 'exit');
  await until(async () => {
    if (child.exitCode !== null) throw new Error(written);
    return (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200;
  });
  return {
    port,
    log: () => written,
    async reload() {
      await run(PROGRAM, ['reload', '--force', '--address', admin, '--adapter', 'caddyfile', '--config', path], {
        env,
      });
    },
    async stop() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
