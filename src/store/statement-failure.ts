import { DatabaseError } from 'pg';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { ConnectionEnded, NoAnswerInTime } from './run-statement.ts';

/**
 * The SQLSTATEs that tell of the world instead of a bug in our SQL: 08 connection, 53 resources (disk full, too many
 * connections), 57P shutting down or starting, 58 the system under the server, 57014 a statement that ran into its time
 * limit, 25006 a server that became a standby, 25P03 a transaction that the server ended because we were too slow.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE = /^(08|53|57P|58|57014|25006|25P03)/;

/** A statement of this name is prepared already. We prepare each one once for each connection, so another connection has done it. */
const PREPARED_ALREADY = '42P05';
const SHARED_SESSION =
  'A pooler lends one connection of the database to several of ours, and does not keep their prepared statements apart. ' +
  'It must be in session mode, or be pgbouncer 1.21 or newer with max_prepared_statements.';

/** A statement's error, read: what callers shall see, and whether the connection may be used again. */
export interface StatementFailure {
  error: unknown;
  connectionUsable: boolean;
}

/**
 * Reads the error of a statement. `committing` says that the statement may have committed: it ran outside a
 * transaction and may have written, or it was the commit.
 */
export function readStatementFailure(error: unknown, connectionBroken: boolean, committing: boolean): StatementFailure {
  // A server that keeps the connection has rolled the statement back. If it ends the connection, the statement may have got to any point.
  if (error instanceof ConnectionEnded)
    return { error: new StoreUnavailable(error.cause, committing), connectionUsable: false };
  if (!(error instanceof DatabaseError) || error.code === undefined) {
    // Without an SQLSTATE it is not the server that speaks: the connection is lost, the time is over, or a value cannot be encoded.
    const lost = connectionBroken || error instanceof NoAnswerInTime;
    return { error: lost ? new StoreUnavailable(error, committing) : error, connectionUsable: false };
  }
  if (error.code === PREPARED_ALREADY)
    return { error: new Error(`${SHARED_SESSION} (${error.message})`, { cause: error }), connectionUsable: false };
  const ofTheWorld = UNAVAILABLE.test(error.code) || isStaleStatement(error) || isUnloggedOnStandby(error);
  if (!ofTheWorld) return { error, connectionUsable: true };
  return { error: new StoreUnavailable(error, false), connectionUsable: false };
}

/**
 * A prepared statement that the server or a pooler has forgotten, or whose result a migration has changed: a new connection
 * prepares it anew. The code of the second case also stands for what the server cannot do at all, which would be a bug of ours. The
 * name of the server's function that refuses the statement tells the two apart.
 */
function isStaleStatement({ code, routine }: DatabaseError): boolean {
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery');
}

/**
 * An unlogged table does not exist on a standby. The server finds that out when it plans the statement, and so before it would refuse
 * to write.
 */
function isUnloggedOnStandby({ code, routine }: DatabaseError): boolean {
  return code === '0A000' && routine === 'get_relation_info';
}
