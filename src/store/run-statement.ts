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
      else if (error instanceof DatabaseError) whetherGoesOn(client, error, reject);
      else reject(error);
    });
  });
  return withinMs(answer, limitMs, () => {
    throw new NoAnswerInTime(limitMs);
  });
}

/**
 * A refusal is told once the server is ready for the next statement, or has ended the connection: that alone tells the two apart. Its
 * word for how bad it is comes in its own language, such as FEHLER for ERROR, and the one that does not is left out by the driver.
 */
function whetherGoesOn(client: ClientBase, error: DatabaseError, tell: (reason: Error) => void): void {
  const end = (reason: Error) => {
    client.off('drain', goesOn).off('end', ended);
    tell(reason);
  };
  const goesOn = () => end(error);
  const ended = () => end(new ConnectionEnded(error));
  client.on('drain', goesOn).on('end', ended);
}
