import { DatabaseError } from 'pg';

const RAISED = 'P0001';

/**
 * Whether a change of the schema was refused by a rule of the database's owner, such as an event trigger while the schema is frozen for a
 * migration of the server. We raise nothing ourselves.
 */
export function isChangeRefused(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === RAISED;
}
