import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { missingProgram } from '../support/missing-program.ts';
import { read } from '../support/tree.ts';
import { until } from '../support/until.ts';

const PROGRAM = process.env.WAYPOST_TEST_NGINX ?? 'nginx';
const run = promisify(execFile);

/** Why no proxy can run here; false if one can. */
export const missingNginx = () => missingProgram(PROGRAM, ['-v'], 'WAYPOST_TEST_NGINX');

export interface Nginx {
  url: string;
  /** The URL that redirects callers without TLS to `https`. */
  plainUrl: string;
  log(): Promise<string>;
  /** How many files and connections each of its workers may have open. */
  openFilesMax(): Promise<number>;
  stop(): Promise<void>;
}

/** Runs the proxy of ops/nginx.conf before a gateway. Only addresses, folders and TLS are changed. */
export async function startNginx(dir: string, gatewayPort: number): Promise<Nginx> {
  await mkdir(dir);
  // Its workers run as an ordinary user, who must be able to reach its folders.
  await chmod(dir, 0o777);
  const [port, plainPort] = [await freePort(), await freePort()];
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`);
  const conf = read('ops/nginx.conf')
    .replace('http {', `daemon off;\npid ${dir}/pid;\nhttp {\n${temp.join('\n')}`)
    .replaceAll('/var/log/nginx', dir)
    .replace(/ {4}listen \[::\]:.*\n/g, '')
    .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
    .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
    .replace(/ {4}ssl_.*\n/g, '')
    .replace('127.0.0.1:8080', `127.0.0.1:${gatewayPort}`);
  const path = join(dir, 'nginx.conf');
  await writeFile(path, conf);
  await run(PROGRAM, ['-t', '-e', `${dir}/error.log`, '-c', path]);
  // As Debian's service starts it: what the service may have open by itself is 1,024.
  const limited = ['-c', 'ulimit -Sn 1024 && exec "$0" "$@"', PROGRAM];
  const child = spawn('sh', [...limited, '-e', `${dir}/error.log`, '-c', path], { stdio: 'ignore' });
  const gone = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(url).catch(() => undefined)) !== undefined);
  return {
    url,
    plainUrl: `http://127.0.0.1:${plainPort}`,
    log: () => readFile(join(dir, 'waypost.log'), 'utf8'),
    async openFilesMax() {
      const [worker] = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).split(' ');
      const limits = await readFile(`/proc/${worker}/limits`, 'utf8');
      return Number(/^Max open files +(\d+)/m.exec(limits)?.[1]);
    },
    async stop() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
