import type { ClientBase, PoolClient } from 'pg';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import type { IdleConnections } from './idle-connections.ts';
import type { Lender } from './lender.ts';
import type { Statement } from './prepared.ts';
import { noteRolledBack } from './rolled-back.ts';
import { NoAnswerInTime, runStatement } from './run-statement.ts';
import { STATEMENT_TIMEOUT_MS } from './session-settings.ts';
import { readStatementFailure } from './statement-failure.ts';

/** The server's own limit comes first. This is added to it, for a server or a network that does not answer at all. */
export const ANSWER_GRACE_MS = 5_000;
/** After this a statement has its answer, or has failed. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + ANSWER_GRACE_MS;
/**
 * A statement that writes begins with another word than `select`, with one exception: the making of partitions, which is repeated whatever
 * became of it.
 */
const ONLY_READS = /^\s*select\b/i;

/** One connection while it is lent out. */
export interface Session {
  usable: boolean;
  /** Runs a statement outside any transaction, so that the database commits it by itself. */
  runAlone<Row>(statement: Statement): Promise<Row[]>;
  /** Runs a statement that begins a transaction, belongs to one, or rolls one back. */
  runInside<Row>(statement: Statement, limitMs?: number): Promise<Row[]>;
  commit(): Promise<void>;
}

/** What lends a connection, and what is known of all connections. */
export interface Lending {
  lender: Lender;
  broken: WeakSet<ClientBase>;
  idle: IdleConnections;
}

/** Lends a connection for as long as `use` takes. */
export async function withSession<T>(
  { lender, broken, idle }: Lending,
  use: (session: Session) => Promise<T>,
): Promise<T> {
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
    runAlone: async (statement) => (await send(statement, true)).rows,
    runInside: async (statement, limitMs) => (await send(statement, false, limitMs)).rows,
    commit: async () => {
      const { command } = await send({ text: 'commit' }, true);
      // PostgreSQL answers the commit of a failed transaction with a rollback, and reports no error.
      if (command !== 'COMMIT') throw new Error('A transaction went on after one of its statements had failed');
    },
  };
  return session;
}
