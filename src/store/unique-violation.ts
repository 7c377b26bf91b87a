import { DatabaseError } from 'pg';

/** Whether a statement failed, without any effect, because a row with the same key is there already. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23505';
}
