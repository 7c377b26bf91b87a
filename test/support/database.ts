import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Connection, type Database, openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { CLUSTER_VARIABLE, startTestCluster } from './cluster.ts';
import { until } from './until.ts';

export interface TestDatabase {
  database: Database;
  connection: Connection;
  /** For a gateway's DATABASE_URL. */
  url: string;
  /** Closes `database`, and removes it from the server. */
  drop(): Promise<void>;
}

/** As many as one gateway has by default. */
const CONNECTIONS = 10;
/** An arbitrary number among the advisory locks of the server. */
const TEMPLATE_LOCK = 7_221_906_012;
/** How long others may wait for whoever makes the template, on a slow machine. */
const TEMPLATE_WAIT_MS = 300_000;
const MIGRATIONS_DIR = fileURLToPath(new URL('../../src/store/migrations', import.meta.url));

interface TestDatabaseOptions {
  migrated?: boolean;
  /** The encoding and locale of an empty one, as `create database` takes them. */
  locale?: string;
}

/**
 * A new database with the newest schema, or an empty one with `{ migrated: false }` or a locale. It is a copy of a template that
 * the first caller on the server makes, and takes some 30 ms.
 */
export async function createTestDatabase({ migrated, locale }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = await findServer();
  const name = `waypost_test_${randomBytes(8).toString('hex')}`;
  await administer(server, async (admin) => {
    const isEmpty = migrated === false || locale !== undefined;
    const template = isEmpty ? 'template0' : await makeTemplate(server, admin);
    // The files are copied as they are. Writing them to the log of the server first would take half as long again.
    await admin.query(`create database ${name} ${locale ?? ''} template ${template} strategy file_copy`);
  });
  const connection = connectionTo(server, name);
  const database = openTestDatabase(connection, CONNECTIONS);
  return {
    database,
    connection,
    url: urlOf(connection),
    drop: async () => {
      await database.close();
      await administer(server, (admin) => admin.query(`drop database ${name} with (force)`));
    },
  };
}

let ownServer: Promise<Connection> | undefined;

/** The server of the whole run. If one file is run alone, a server that ends with this process. */
async function findServer(): Promise<Connection> {
  const published = process.env[CLUSTER_VARIABLE];
  if (published !== undefined) return readConnection(JSON.parse(published));
  ownServer ??= startTestCluster().then((cluster) => {
    process.once('beforeExit', () => void cluster.stop());
    return cluster.connection;
  });
  return ownServer;
}

function readConnection(value: unknown): Connection {
  if (typeof value === 'object' && value !== null) {
    if ('url' in value && typeof value.url === 'string') return { url: value.url };
    if ('socketDir' in value && 'port' in value && 'user' in value && 'database' in value) {
      const { socketDir, port, user, database } = value;
      if (typeof socketDir === 'string' && typeof port === 'number') {
        return { socketDir, port, user: String(user), database: String(database) };
      }
    }
  }
  throw new Error(`${CLUSTER_VARIABLE} holds no connection`);
}

/** Makes one template for each state of the migrations. The first caller does it. */
async function makeTemplate(server: Connection, admin: Database): Promise<string> {
  const name = `waypost_template_${await hashMigrations()}`;
  const isMade = async (by: Pick<Database, 'query'>) =>
    (await by.query('select 1 from pg_database where datname = $1 and datistemplate', [name])).length > 0;
  if (await isMade(admin)) return name;
  await admin.transaction(
    async (tx) => {
      // It does nothing while the migrations run, for which a slow machine takes longer than a transaction may usually rest.
      await tx.query('set local idle_in_transaction_session_timeout to 0');
      await tx.query('select pg_advisory_xact_lock($1)', [TEMPLATE_LOCK]);
      if (await isMade(tx)) return;
      // Run outside the transaction, because PostgreSQL does not allow it inside. The transaction only holds the lock.
      await admin.query(`drop database if exists ${name}`);
      await admin.query(`create database ${name} template template0`);
      const database = openTestDatabase(connectionTo(server, name), 1);
      await migrate(database).finally(() => database.close());
      await admin.query(`alter database ${name} is_template true`);
    },
    { statementTimeoutMs: TEMPLATE_WAIT_MS },
  );
  return name;
}

async function hashMigrations(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of (await readdir(MIGRATIONS_DIR)).sort()) hash.update(await readFile(`${MIGRATIONS_DIR}/${file}`));
  return hash.digest('hex').slice(0, 16);
}

async function administer<T>(server: Connection, work: (admin: Database) => Promise<T>): Promise<T> {
  const admin = openTestDatabase(server, 2);
  // A machine that stands still may let the time for a connection pass. Whoever cannot be reached at all is told by the work.
  const isConnected = () =>
    admin.query('select 1').then(
      () => true,
      () => false,
    );
  await until(isConnected, 10_000).catch(() => undefined);
  return await work(admin).finally(() => admin.close());
}

function openTestDatabase(connection: Connection, connections: number): Database {
  // A connection that breaks while it is idle does not fail a test by itself: the next statement on it does.
  return openDatabase({ connection, connections, onError: () => undefined });
}

function connectionTo(server: Connection, database: string): Connection {
  if (!('url' in server)) return { ...server, database };
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

/** The form of a Unix socket that both libpq and the driver know: its folder is the parameter `host`. */
function urlOf(connection: Connection): string {
  if ('url' in connection) return connection.url;
  const { socketDir, port, user, database } = connection;
  return `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(socketDir)}&port=${port}`;
}
