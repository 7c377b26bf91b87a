import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Database, Transaction } from './database.ts';
import { isLockTimeout, LOCK_WAIT_MS, limitLockWaits } from './lock-timeout.ts';

const MIGRATIONS_DIR = fileURLToPath(new URL('migrations', import.meta.url));
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;
/** The first line of a migration after which older binaries must not run any more. */
const BREAKING_MARK = '-- breaking';
/** An arbitrary number that stands for "the schema of Waypost" among the advisory locks of the database. */
const ADVISORY_LOCK = 7_221_906_011;
/** Long, because a migration may rewrite a large table. Other processes that start wait for it meanwhile. */
const MIGRATION_TIMEOUT_MS = 3_600_000;
/** Under full load there are always transactions that last longer than `LOCK_WAIT_MS`. So each try waits longer, up to this. */
const LOCK_WAIT_MAX_MS = 1_000;
/** So many times longer is the pause before the next try, in which gateways that run go on. */
const PAUSE_TO_WAIT = 10;
/** `server_version_num` of the oldest PostgreSQL for which the SQL of this project is written. */
const SERVER_VERSION_MIN = 150_000;

interface Migration {
  number: number;
  name: string;
  file: string;
  sql: string;
  sha256: string;
  breaking: boolean;
}

type Applied = Omit<Migration, 'sql' | 'file'>;

/** What a start tells its operator, who otherwise sees nothing for as long as it takes. */
export interface MigrateNews {
  /** Somebody uses a table. Once. */
  waits?(): void;
  /** A migration of a schema that was there before is the next to be applied. Once each. */
  applies?(migration: { number: number; name: string; last: number }): void;
}

const CREATE_TABLE = `
  create table migration (
    number integer primary key,
    name text not null,
    sha256 text not null,
    breaking boolean not null,
    applied_at timestamptz not null default clock_timestamp()
  )`;

/**
 * The encodings that a database may have. With any other it could not store every message that people write. SQL_ASCII is what a server
 * uses that was set up without a locale: it keeps every text as it came, and only takes each byte for a character.
 */
const ENCODINGS: ReadonlySet<string> = new Set(['UTF8', 'SQL_ASCII']);

const READ_SERVER = `
  select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
    current_setting('server_encoding') as encoding`;

/**
 * Whether the table of migrations is in the schema that it would be made in. It is not made "if it does not exist": that is a change of the
 * schema also where it exists, and a database may refuse such changes for a while, as by an event trigger.
 */
const IS_MADE = `select to_regclass(quote_ident(current_schema()) || '.migration') is not null as made`;

/**
 * By itself the server notices only at the end of a statement that nobody waits for it any more. An index of a start that was stopped or killed
 * would keep writers out until it is built, for nothing, and the next start would wait behind it. So the server looks every second. Not every
 * system below it can tell: such a server refuses the setting, and goes on without it. One that is too old does not know it, and is told so next.
 */
const LOOK_AFTER_CLIENT = `
  do $$ begin
    perform set_config('client_connection_check_interval', '1s', true);
  exception when invalid_parameter_value or undefined_object then null;
  end $$`;

/** Changes nothing. It is refused where nothing can be written, as by a server that follows another one: a start has to wait there. */
const MUST_WRITE = 'update migration set number = number where false';

/**
 * Brings the schema up to date: applies each file that is not applied yet, in the order of their numbers, each in a
 * transaction of its own. Any number of processes may call it at once. It throws, and changes nothing more, when an
 * applied file has changed, or when the schema carries a breaking migration that this version does not know. Where somebody
 * uses a table for long, as a dump does, it waits without being in the way of others. Returns whether it made the schema:
 * nothing was there before.
 */
export async function migrate(
  database: Database,
  migrationsDir: string = MIGRATIONS_DIR,
  news: MigrateNews = {},
): Promise<boolean> {
  const migrations = await readMigrations(migrationsDir);
  let isNew = false;
  let told = false;
  let toldOf = 1;
  const tellNext = ({ number, name }: Migration) => {
    if (!isNew && number > toldOf) news.applies?.({ number, name, last: migrations.length });
    toldOf = number;
  };
  const step = (lockWaitMs: number) =>
    database.transaction((tx) => applyNext(tx, migrations, lockWaitMs, tellNext), {
      statementTimeoutMs: MIGRATION_TIMEOUT_MS,
    });
  let lockWaitMs = LOCK_WAIT_MS;
  for (;;) {
    try {
      const applied = await step(lockWaitMs);
      if (applied === undefined) return isNew;
      isNew ||= applied === 1;
      lockWaitMs = LOCK_WAIT_MS;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (!told) news.waits?.();
      told = true;
      await wait(lockWaitMs * PAUSE_TO_WAIT);
      lockWaitMs = Math.min(lockWaitMs * 2, LOCK_WAIT_MAX_MS);
    }
  }
}

async function readMigrations(migrationsDir: string): Promise<Migration[]> {
  const files = (await readdir(migrationsDir)).sort();
  const migrations = await Promise.all(files.map((file) => readMigration(migrationsDir, file)));
  migrations.forEach(({ file, number }, index) => {
    if (number !== index + 1) throw new Error(`Migration ${file} should have the number ${index + 1}`);
  });
  return migrations;
}

async function readMigration(migrationsDir: string, file: string): Promise<Migration> {
  const [, number, name] = FILE_NAME.exec(file) ?? [];
  if (number === undefined || name === undefined) throw new Error(`${file} is not named as a migration: 0001_name.sql`);
  // Line ends are made equal, so that a checkout on another system gives the same hash.
  const sql = (await readFile(`${migrationsDir}/${file}`, 'utf8')).replaceAll('\r\n', '\n');
  const sha256 = createHash('sha256').update(sql).digest('hex');
  return { number: Number(number), name, file, sql, sha256, breaking: sql.split('\n', 1)[0]?.trim() === BREAKING_MARK };
}

/** Applies one migration at most, and returns its number; undefined if there was none left to apply. */
async function applyNext(
  tx: Transaction,
  migrations: Migration[],
  lockWaitMs: number,
  tellNext: (next: Migration) => void,
): Promise<number | undefined> {
  await tx.runScript(LOOK_AFTER_CLIENT);
  // The lock is held until the end of the transaction, because a lock of the session would not survive a pooler. The second process waits
  // here, and then sees what the first one has committed.
  await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
  await refuseWrongServer(tx);
  const [table] = await tx.query<{ made: boolean }>(IS_MADE);
  await tx.query(table?.made === true ? MUST_WRITE : CREATE_TABLE);
  const applied = await tx.query<Applied>('select number, name, sha256, breaking from migration order by number');
  refuseWrongSchema(migrations, applied);
  const next = migrations[applied.length];
  if (next === undefined) return undefined;
  tellNext(next);
  // After the wait for other starts, which may take long.
  await limitLockWaits(tx, lockWaitMs);
  await tx.runScript(next.sql);
  await tx.query('insert into migration (number, name, sha256, breaking) values ($1, $2, $3, $4)', [
    next.number,
    next.name,
    next.sha256,
    next.breaking,
  ]);
  return next.number;
}

async function refuseWrongServer(tx: Transaction): Promise<void> {
  const [server] = await tx.query<{ number: number; version: string; encoding: string }>(READ_SERVER);
  if (server === undefined || server.number < SERVER_VERSION_MIN) {
    throw new Error(`The database is PostgreSQL ${server?.version}; Waypost needs 15 or newer`);
  }
  if (!ENCODINGS.has(server.encoding)) {
    throw new Error(
      `The encoding of the database is ${server.encoding}, and must be UTF8. Make it anew: ` +
        `create database ... encoding 'UTF8' template template0.`,
    );
  }
}

function refuseWrongSchema(migrations: Migration[], applied: Applied[]): void {
  for (const { number, name, sha256, breaking } of applied) {
    const migration = migrations[number - 1];
    if (migration !== undefined && migration.sha256 !== sha256) {
      throw new Error(
        `Migration ${migration.file} has changed since it was applied. Undo the change and add a new file.`,
      );
    }
    if (migration === undefined && breaking) {
      throw new Error(
        `The database has the migration ${number} (${name}), which this version of Waypost does not know and cannot ` +
          'run with. Start the newer version.',
      );
    }
  }
}
