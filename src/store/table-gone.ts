import { DatabaseError } from 'pg';

const UNDEFINED_TABLE = '42P01';

/** Whether a statement named a table that is not there: one that was found a moment ago may have been dropped since. */
export function isTableGone(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === UNDEFINED_TABLE;
}
