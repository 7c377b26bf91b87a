import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import { withinMs } from '../kernel/within-ms.ts';

/** The server, or the network, said nothing for too long. The connection may still bring the answer, so it is of no more use. */
export class NoAnswerInTime extends Error {
  constructor(limitMs: number) {
    super(`The database has not answered within ${limitMs} ms`);
  }
}

/**
 * Runs one statement. Rejects with what the server or the driver says, or with `NoAnswerInTime`.
 *
 * The driver gets a callback and no time limit. For a promise of its own, and for a limit of its own, it makes a function in the
 * expression that sets it as a property; V8 takes such a function for one that will live long, and it keeps its statement, with all
 * values and rows, until the next great collection (docs/decisions/0027-functions-that-live-long.md).
 */
export function runStatement(client: ClientBase, statement: QueryConfig, limitMs: number): Promise<QueryResult> {
  const answer = new Promise<QueryResult>((resolve, reject) => {
    client.query(statement, (error: Error | null, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
  return withinMs(answer, limitMs, () => {
    throw new NoAnswerInTime(limitMs);
  });
}
