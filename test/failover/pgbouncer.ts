import { execFile, spawn } from 'node:child_process';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { NOBODY } from '../support/nobody.ts';
import { until } from '../support/until.ts';

const PROGRAM = process.env.WAYPOST_TEST_PGBOUNCER ?? 'pgbouncer';
/** The first version that keeps prepared statements in transaction mode. */
const VERSION_MIN = [1, 21] as const;
const PORT = 6_432;

export type PoolMode = 'transaction' | 'session';

/** Why no pooler can run here in this mode; false if one can. */
export async function missingPgbouncer(mode: PoolMode): Promise<string | false> {
  const how = 'WAYPOST_TEST_PGBOUNCER names another program';
  try {
    const { stdout } = await promisify(execFile)(PROGRAM, ['--version']);
    const [, major, minor] = /^PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? [];
    if (mode === 'session') return false;
    const isNew = Number(major) > VERSION_MIN[0] || Number(minor) >= VERSION_MIN[1];
    return isNew ? false : `pgbouncer is ${major}.${minor}, and 1.21 is needed; ${how}`;
  } catch {
    return `There is no ${PROGRAM}; ${how}`;
  }
}

export interface Pgbouncer {
  url: string;
}

/** A pooler before the server in this folder. */
export async function startPgbouncer(
  t: TestContext,
  dir: string,
  settings: { pool_mode: PoolMode } & Record<string, string>,
): Promise<Pgbouncer> {
  const all = {
    listen_addr: '',
    listen_port: String(PORT),
    unix_socket_dir: dir,
    auth_type: 'any',
    max_client_conn: '200',
    logfile: join(dir, 'pgbouncer.log'),
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const ini = `[databases]\nwaypost = host=${dir} port=5432 user=waypost\n\n[pgbouncer]\n${lines.join('\n')}\n`;
  const path = join(dir, 'pgbouncer.ini');
  await writeFile(path, ini);
  if (NOBODY.uid !== undefined) await chown(path, NOBODY.uid, NOBODY.gid);
  const child = spawn(PROGRAM, [path], { ...NOBODY, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  t.after(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`pgbouncer has ended: ${said}`);
    return /process up/.test(said);
  });
  return { url: `postgresql://waypost@localhost/waypost?host=${encodeURIComponent(dir)}&port=${PORT}` };
}
