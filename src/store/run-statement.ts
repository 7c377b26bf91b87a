import { type ClientBase, DatabaseError, type QueryConfig, type QueryResult } from 'pg';
import { withinMs } from '../kernel/within-ms.ts';

/** The server, or the network, said nothing for too long. The connection may still bring the answer, so it is of no more use. */
export class NoAnswerInTime extends Error {
  constructor(limitMs: number) {
    super(`The database has not answered within ${limitMs} ms`);
  }
}

/** The server did not only refuse the statement, it ended the connection with it; `cause` is what it said. */
export class ConnectionEnded extends Error {
  constructor(cause: DatabaseError) {
    super(cause.message, { cause });
  }
}

/**
 * Runs one statement. Rejects with what the server or the driver says, with `ConnectionEnded`, or with `NoAnswerInTime`.
 *
 * The driver gets a callback and no time limit. For a promise of its own, and for a limit of its own, it makes a function in the
 * expression that sets it as a property; V8 takes such a function for one that will live long, and it keeps its statement, with all
 * values and rows, until the next great collection (docs/decisions/0027-functions-that-live-long.md).
 */
export function runStatement(client: ClientBase, statement: QueryConfig, limitMs: number): Promise<QueryResult> {
  const answer = new Promise<QueryResult>((resolve, reject) => {
    client.query(statement, (error: Error | null, result) => {
      if (error === null) resolve(result);
      else if (error instanceof DatabaseError) rejectWhenReady(client, error, reject);
      else reject(error);
    });
  });
  return withinMs(answer, limitMs, () => {
    throw new NoAnswerInTime(limitMs);
  });
}

/**
 * Rejects with what the server refused once it is ready for the next statement, or with `ConnectionEnded` once it has ended the
 * connection. Nothing else tells the two apart: the severity in the error is in the server's language, such as FEHLER for ERROR, and
 * the driver leaves out the field that is the same in every language.
 */
function rejectWhenReady(client: ClientBase, error: DatabaseError, reject: (reason: Error) => void): void {
  const end = (reason: Error) => {
    client.off('drain', onReady).off('end', onEnded);
    reject(reason);
  };
  const onReady = () => end(error);
  const onEnded = () => end(new ConnectionEnded(error));
  client.on('drain', onReady).on('end', onEnded);
}
