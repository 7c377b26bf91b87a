import { type ClientBase, Pool, type PoolConfig, TypeOverrides, types } from 'pg';
import { parseKeepingDigits } from '../kernel/json-digits.ts';
import { watchIdleConnections } from './idle-connections.ts';
import { createLender } from './lender.ts';
import { prepared } from './prepared.ts';
import { runStatement } from './run-statement.ts';
import { runTransaction } from './run-transaction.ts';
import { ANSWER_TIMEOUT_MS, type Lending, withSession } from './session.ts';
import { SESSION_SETTINGS } from './session-settings.ts';

/**
 * Runs SQL. Values are always parameters. Every statement is prepared once per connection, so the texts are constants. An array becomes an
 * array of PostgreSQL (`arrayText`); one that is meant for a `jsonb` must be given as JSON text.
 */
export interface Queryable {
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** One transaction. Its statements run one after another, never at the same time. */
export interface Transaction extends Queryable {
  /** Runs several statements, separated by semicolons and without values. */
  runScript(sql: string): Promise<void>;
}

/** For the rare transaction with a statement that may take longer than the usual limit. */
export interface TransactionLimits {
  statementTimeoutMs: number;
}

/** The system of record. Its calls throw `StoreUnavailable` when the database cannot be used, and anything else when the fault is ours. */
export interface Database extends Queryable {
  /** Runs `work` in one transaction on one connection; rolls back if it throws. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, limits?: TransactionLimits): Promise<T>;
  /** How the connections are used now, for those who watch. */
  connections(): { total: number; idle: number; waiting: number; max: number };
  /** Waits for the statements under way, then closes every connection. Later calls are refused as unavailable. */
  close(): Promise<void>;
}

/** Where a database is: a connection string, or the Unix socket of a server on this machine. */
export type Connection = { url: string } | { socketDir: string; port: number; user: string; database: string };

/** Short enough that a caller gets its answer or a 503 while it still waits: a send has 25 s in all. */
const CONNECT_TIMEOUT_MS = 3_000;
/** Long enough that a quiet minute does not cost the next burst its connections. */
const IDLE_CONNECTION_MS = 300_000;
/**
 * How long a connection is idle before the kernel probes it. By default that is two hours, and a firewall forgets an idle connection
 * sooner: the next statement on it would then hang for as long as an answer may take.
 */
const KEEP_ALIVE_AFTER_MS = 10_000;

export interface DatabaseOptions {
  connection: Connection;
  /** The most connections that are open at once. */
  connections: number;
  /** Called with the error of an idle connection that broke. The pool replaces the connection by itself. */
  onError(error: Error): void;
}

/** Opens a pool of connections. It connects when it is first used, so that a dead database does not fail this call. */
export function openDatabase({ connection, connections, onError }: DatabaseOptions): Database {
  const pool = new Pool({
    ...connectionConfig(connection),
    max: connections,
    types: typeParsers(),
    application_name: 'waypost',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    onConnect: async (client) => {
      // Listens from the first moment on, because a connection that breaks before it is lent must be known as broken. Also, without a
      // listener the error of a connection that breaks between two statements would end the process. The next statement reports it.
      client.on('error', () => broken.add(client));
      await runStatement(client, { text: SESSION_SETTINGS }, ANSWER_TIMEOUT_MS);
    },
  });
  const broken = new WeakSet<ClientBase>();
  const lender = createLender(pool, connections, CONNECT_TIMEOUT_MS);
  const lending: Lending = { lender, broken, idle: watchIdleConnections(pool) };
  let closed: Promise<void> | undefined;
  pool.on('error', (error) => {
    // The driver's pool counts as ended a moment before its last connections are closed. A server that stops in that moment is no news.
    if (closed === undefined) onError(error);
  });
  return {
    query: (sql, values) => withSession(lending, (session) => session.runAlone(prepared(sql, values))),
    transaction: (work, limits) => withSession(lending, (session) => runTransaction(session, work, limits)),
    connections: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + lender.waiting(),
      max: connections,
    }),
    close: () => {
      closed ??= pool.end();
      return closed;
    },
  };
}

function connectionConfig(connection: Connection): PoolConfig {
  if ('url' in connection) return { connectionString: connection.url };
  const { socketDir, port, user, database } = connection;
  return { host: socketDir, port, user, database, ssl: false };
}

/**
 * Counts and sequences are `bigint` in PostgreSQL and numbers here. A `jsonb` keeps every digit of the numbers that customers pass on, and
 * so does reading it back. Everything else is read as the driver does it.
 */
function typeParsers(): TypeOverrides {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(types.builtins.INT8, parseSafeInteger);
  overrides.setTypeParser(types.builtins.JSONB, parseKeepingDigits);
  return overrides;
}

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`A bigint from the database is beyond 2^53: ${text}`);
  return value;
}
