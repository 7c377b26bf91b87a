import { ApiError } from '../kernel/errors.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import type { Route } from './route.ts';

const DETAIL =
  'The store broke off at the commit, and it is not known whether the change was made. Look before you repeat it.';

/**
 * The answer to what a route threw that leaves open whether its change was made; undefined for all else. A 503 would say that it was
 * not: whoever repeats then makes a second endpoint, or finds a key rolled whose successor nobody has seen.
 */
export function changeInDoubt({ method, commitInDoubt }: Route, thrown: unknown): ApiError | undefined {
  if (method === 'GET' || commitInDoubt === 'unavailable') return undefined;
  if (!(thrown instanceof StoreUnavailable) || !thrown.commitInDoubt) return undefined;
  return new ApiError('internal_error', DETAIL, { cause: thrown });
}
