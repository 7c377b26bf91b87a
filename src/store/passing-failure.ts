import { DatabaseError } from 'pg';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';

/** The class of deadlocks and serialization failures. */
const ROLLED_BACK = /^40/;

/** Whether the same transaction may well go through when it is tried again: the store was away, or two got in each other's way. */
export function isPassingFailure(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  return error instanceof DatabaseError && error.code !== undefined && ROLLED_BACK.test(error.code);
}
