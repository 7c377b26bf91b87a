import { createHash } from 'node:crypto';
import { type ClientBase, Pool, type PoolClient, type PoolConfig, TypeOverrides, types } from 'pg';
import { parseKeepingDigits } from '../kernel/json-digits.ts';
import { LEASE_MS } from '../kernel/lease.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { arrayText } from './array-text.ts';
import { type BinaryType, binaryArray } from './binary-array.ts';
import { type BinaryParameters, findBinaryParameters } from './binary-parameters.ts';
import { type IdleConnections, watchIdleConnections } from './idle-connections.ts';
import { createLender, type Lender } from './lender.ts';
import { noteRolledBack } from './rolled-back.ts';
import { NoAnswerInTime, runStatement } from './run-statement.ts';
import { readStatementFailure } from './statement-failure.ts';

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

/** The system of record. Its calls throw `StoreUnavailable` when the database cannot be used, and anything else when the fault is ours. */
export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction on one connection; rolls back if it throws. `statementTimeoutMs` is for the rare
   * statement that may take longer than the usual limit.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, limits?: { statementTimeoutMs: number }): Promise<T>;
  /** How the connections are used now, for those who watch. */
  connections(): { total: number; idle: number; waiting: number; max: number };
  /** Waits for the statements under way, then closes every connection. Later calls are refused as unavailable. */
  close(): Promise<void>;
}

/** Where a database is: a connection string, or the Unix socket of a server on this machine. */
export type Connection = { url: string } | { socketDir: string; port: number; user: string; database: string };

/** Short enough that a caller gets its answer or a 503 while it still waits: a send has 25 s in all. */
const CONNECT_TIMEOUT_MS = 3_000;
/** Far above the time of any statement of ours: one that takes longer waits for a lock, or for a machine in trouble. */
const STATEMENT_TIMEOUT_MS = 30_000;
/**
 * A transaction of a process that hangs must not hold its locks for long. When the lease of that process is over, other nodes settle its
 * work, and they skip the rows that are locked.
 */
const IDLE_TRANSACTION_TIMEOUT_MS = LEASE_MS - 5_000;
/** The server's own limit comes first. This is added to it, for a server or a network that does not answer at all. */
const ANSWER_GRACE_MS = 5_000;
/** After this a statement has its answer, or has failed. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + ANSWER_GRACE_MS;
/**
 * A statement that writes begins with another word than `select`, with one exception: the making of partitions, which is repeated whatever
 * became of it.
 */
const ONLY_READS = /^\s*select\b/i;
/** Long enough that a quiet minute does not cost the next burst its connections. */
const IDLE_CONNECTION_MS = 300_000;
/**
 * How long a connection is idle before the kernel probes it. By default that is two hours, and a firewall forgets an idle connection
 * sooner: the next statement on it would then hang for as long as an answer may take.
 */
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * Set by a statement and not at the start of the connection, because a pooler refuses startup parameters that it does not know. Behind a
 * pooler in transaction mode these settings reach only some of the server connections. They do no harm there, since all these connections
 * are ours; to be sure that all have them, set them as the role's defaults (`alter role ... set ...`). Such a pooler must also keep
 * prepared statements (pgbouncer 1.21 or newer: `max_prepared_statements`).
 *
 * A plan is kept while its tables grow. A plan that was made while the week's partition was still empty would go on reading the whole
 * partition. So every look-up uses its index from the beginning, and has the order of the index
 * (docs/decisions/0020-plans-that-stay-right.md). Every statement also keeps its one plan: otherwise the server would plan our statements
 * anew for their arrays, which cost more than to carry them out. With these settings a table that must be read whole counts as very
 * expensive, and a server up to 17 would compile each such statement each time it runs: 400 ms for the marks of the statistics. So `jit` is
 * off.
 *
 * The owner of a database may set defaults for all of it. The rest of the list overrides those that would break our statements. A statement
 * must see what was committed when it began, and wait for a lock until its own time is over. The driver reads times only in the style of
 * ISO 8601, and any other as null. The texts must keep their meaning: the backslashes in them, a NULL in an array, a comparison with null,
 * the digits of a number. A connection must stay until we close it, and a transaction until it is done; a server up to 16 has no limit for
 * transactions, and does not know its name.
 */
const SESSION_SETTINGS = `
  set statement_timeout to ${STATEMENT_TIMEOUT_MS};
  set idle_in_transaction_session_timeout to ${IDLE_TRANSACTION_TIMEOUT_MS};
  set plan_cache_mode to force_generic_plan;
  set enable_seqscan to off;
  set enable_bitmapscan to off;
  set jit to off;
  set default_transaction_isolation to 'read committed';
  set lock_timeout to 0;
  set datestyle to 'ISO';
  set timezone to 'UTC';
  set standard_conforming_strings to on;
  set array_nulls to on;
  set transform_null_equals to off;
  set extra_float_digits to 1;
  set idle_session_timeout to 0;
  select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`;

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
    query: (sql, values) => withSession(lending, (session) => session.run(prepared(sql, values), true)),
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

interface Statement {
  text: string;
  name?: string;
  values?: unknown[];
}

/** One connection while it is lent out. */
interface Session {
  usable: boolean;
  run<Row>(statement: Statement, committing: boolean, limitMs?: number): Promise<Row[]>;
  commit(): Promise<void>;
}

/** What lends a connection, and what is known of all connections. */
interface Lending {
  lender: Lender;
  broken: WeakSet<ClientBase>;
  idle: IdleConnections;
}

async function withSession<T>({ lender, broken, idle }: Lending, use: (session: Session) => Promise<T>): Promise<T> {
  const client = await lender.lend().catch((error: unknown) => {
    const unavailable = new StoreUnavailable(error, false);
    noteRolledBack(unavailable);
    throw unavailable;
  });
  const session = openSession(client, () => broken.has(client), idle);
  try {
    return await use(session);
  } finally {
    client.release(broken.has(client) || !session.usable);
    lender.released();
  }
}

function openSession(client: PoolClient, isBroken: () => boolean, idle: IdleConnections): Session {
  async function send(statement: Statement, committing: boolean, limitMs = ANSWER_TIMEOUT_MS) {
    const sent = !isBroken();
    const askedMs = performance.now();
    try {
      return await runStatement(client, statement, limitMs);
    } catch (error) {
      if (error instanceof NoAnswerInTime) idle.closeIdleSince(askedMs);
      // The driver's own stack ends where it has read the answer, and does not show who asked.
      if (error instanceof Error) Error.captureStackTrace(error);
      const mayHaveWritten = committing && sent && !ONLY_READS.test(statement.text);
      const failure = readStatementFailure(error, isBroken(), mayHaveWritten);
      session.usable &&= failure.connectionUsable;
      if (!(failure.error instanceof StoreUnavailable && failure.error.commitInDoubt)) noteRolledBack(failure.error);
      throw failure.error;
    }
  }
  const session: Session = {
    usable: true,
    run: async (statement, committing, limitMs) => (await send(statement, committing, limitMs)).rows,
    commit: async () => {
      const { command } = await send({ text: 'commit' }, true);
      // PostgreSQL answers the commit of a failed transaction with a rollback, and reports no error.
      if (command !== 'COMMIT') throw new Error('A transaction went on after one of its statements had failed');
    },
  };
  return session;
}

async function runTransaction<T>(
  session: Session,
  work: (tx: Transaction) => Promise<T>,
  limits: { statementTimeoutMs: number } | undefined,
): Promise<T> {
  await session.run({ text: beginText(limits) }, false);
  let open = true;
  const run = <Row>(statement: Statement): Promise<Row[]> => {
    if (!open) throw new Error('A transaction was used after its end');
    return session.run(statement, false, limits && limits.statementTimeoutMs + ANSWER_GRACE_MS);
  };
  try {
    const result = await work({
      query: async (sql, values) => run(prepared(sql, values)),
      runScript: async (sql) => {
        await run({ text: sql });
      },
    });
    open = false;
    await session.commit();
    return result;
  } catch (error) {
    // If it is still open, `work` threw and the commit was never sent. It is marked as closed before the rollback: a statement that is sent
    // after the rollback would stay in effect.
    const uncommitted = open;
    open = false;
    if (uncommitted) await rollBack(session, error);
    throw error;
  }
}

function beginText(limits: { statementTimeoutMs: number } | undefined): string {
  return limits === undefined
    ? 'begin'
    : `begin; set local statement_timeout to ${Math.ceil(limits.statementTimeoutMs)}`;
}

async function rollBack(session: Session, error: unknown): Promise<void> {
  noteRolledBack(error);
  // A rollback that fails needs no report of its own: then the connection is dropped, and the server rolls back by itself.
  if (session.usable) await session.run({ text: 'rollback' }, false).catch(() => undefined);
}

const known = new Map<string, { name: string; binary: BinaryParameters }>();

/** The name is made from the text. So it is the same in every process, and a pooler can share prepared statements among them. */
function prepared(sql: string, values: readonly unknown[] = []): Statement {
  let statement = known.get(sql);
  if (statement === undefined) {
    const name = createHash('sha256').update(sql).digest('base64url').slice(0, 20);
    statement = { name, binary: findBinaryParameters(sql) };
    known.set(sql, statement);
  }
  const { name, binary } = statement;
  try {
    const written = values.map((value, place) =>
      Array.isArray(value) ? writeArray(value, binary.get(place + 1)) : value,
    );
    return { name, text: sql, values: written };
  } catch (error) {
    // Nothing of this statement has reached the database.
    noteRolledBack(error);
    throw error;
  }
}

function writeArray(items: readonly unknown[], type: BinaryType | undefined): Buffer | string {
  return (type === undefined ? undefined : binaryArray(type, items)) ?? arrayText(items);
}
