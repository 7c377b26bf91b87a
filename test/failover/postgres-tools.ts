import { type ExecFileOptions, execFile } from 'node:child_process';
import { accessSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { NOBODY } from '../support/nobody.ts';

/** Where Debian keeps the tools of PostgreSQL 15, the oldest that is supported. */
export const TOOLS = process.env.WAYPOST_TEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin';
const run = promisify(execFile);

/** Why no servers can run here; false if they can. */
export function missingTools(): string | false {
  try {
    accessSync(join(TOOLS, 'pg_basebackup'));
    return false;
  } catch {
    return `There is no PostgreSQL in ${TOOLS}; WAYPOST_TEST_POSTGRES_BIN names another folder`;
  }
}

/** PostgreSQL servers in a folder of their own. Each is reached by a Unix socket in it. */
export interface PostgresTools {
  dir: string;
  /** Makes the data folder of a first server, with this locale of ICU; without one it has C, as the embedded server does. */
  init(name: string, icuLocale?: string): Promise<void>;
  /** Copies a running server into a data folder, from which the copy follows that server under this name. */
  follow(name: string, primary: string): Promise<void>;
  start(name: string, settings?: Record<string, string>): Promise<void>;
  stop(name: string): Promise<void>;
  promote(name: string): Promise<void>;
  createDatabase(server: string, database: string): Promise<void>;
  /** Ends all processes of a server without any shutdown, as a power cut does. */
  killHard(name: string): Promise<void>;
  socketOf(name: string): string;
}

/** The first server's port; each further server has the next one. A port is only a part of the name of the server's socket. */
const FIRST_PORT = 5_432;

export async function startPostgresTools(t: TestContext, parent = tmpdir()): Promise<PostgresTools> {
  const dir = await mkdtemp(join(parent, 'waypost-pair-'));
  await chmod(dir, 0o700);
  if (NOBODY.uid !== undefined) await chown(dir, NOBODY.uid, NOBODY.gid);
  const names: string[] = [];
  const options: ExecFileOptions = { ...NOBODY, cwd: dir, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  const tool = async (name: string, ...parameters: string[]) => {
    await run(join(TOOLS, name), parameters, options);
  };
  const dataDirOf = (name: string) => join(dir, name);
  const portOf = (name: string) => {
    if (!names.includes(name)) names.push(name);
    return FIRST_PORT + names.indexOf(name);
  };
  const addressOf = (server: string) => [`--host=${dir}`, `--port=${portOf(server)}`, '--username=waypost'];
  const stop = (name: string, mode: string) =>
    tool('pg_ctl', 'stop', '--wait', `--mode=${mode}`, `--pgdata=${dataDirOf(name)}`);
  t.after(async () => {
    // A server that was killed, or never started, cannot be stopped.
    for (const name of names) await stop(name, 'immediate').catch(() => undefined);
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  });
  return {
    dir,
    init: (name, icuLocale) =>
      tool(
        'initdb',
        '--username=waypost',
        '--auth=trust',
        '--encoding=UTF8',
        '--no-sync',
        ...(icuLocale === undefined ? [] : ['--locale-provider=icu', `--icu-locale=${icuLocale}`]),
        `--pgdata=${dataDirOf(name)}`,
      ),
    follow: (name, primary) => {
      const source = `host=${dir} port=${portOf(primary)} user=waypost application_name=${name}`;
      return tool(
        'pg_basebackup',
        '--checkpoint=fast',
        '--write-recovery-conf',
        `--dbname=${source}`,
        `--pgdata=${dataDirOf(name)}`,
      );
    },
    async start(name, settings = {}) {
      const all = {
        listen_addresses: '',
        unix_socket_directories: dir,
        port: String(portOf(name)),
        fsync: 'off',
        ...settings,
      };
      const given = Object.entries(all).map(([key, value]) => `-c ${key}='${value}'`);
      const log = `--log=${join(dir, `${name}.log`)}`;
      await tool('pg_ctl', 'start', '--wait', `--pgdata=${dataDirOf(name)}`, `--options=${given.join(' ')}`, log);
    },
    stop: (name) => stop(name, 'fast'),
    promote: (name) => tool('pg_ctl', 'promote', '--wait', `--pgdata=${dataDirOf(name)}`),
    createDatabase: (server, database) => tool('createdb', ...addressOf(server), database),
    async killHard(name) {
      const postmaster = Number((await readFile(join(dataDirOf(name), 'postmaster.pid'), 'utf8')).split('\n', 1)[0]);
      for (const pid of [postmaster, ...(await childrenOf(postmaster))]) killIfThere(pid);
    },
    socketOf: (name) => join(dir, `.s.PGSQL.${portOf(name)}`),
  };
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  // After the name in brackets come the state and the parent (proc(5)).
  const isChild = (stat: string) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
  return stats.filter(isChild).map((stat) => Number.parseInt(stat, 10));
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // The death of the first process has ended this one already.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
