import { ApiError } from '../kernel/errors.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import type { Route } from './route.ts';

const DETAIL =
  'The store broke off at the commit, and it is not known whether the change was made. Look before you repeat it.';

/**
 * The answer where a commit broke off and nobody knows whether the route's change was made; undefined for every other error. A 503 would
 * say that it was not made. A caller who repeats it then makes a second endpoint, or finds that a key was rolled whose successor
 * nobody has seen.
 */
export function changeInDoubt(
  { method, commitInDoubt }: Pick<Route, 'method' | 'commitInDoubt'>,
  thrown: unknown,
): ApiError | undefined {
  if (method === 'GET' || commitInDoubt === 'unavailable') return undefined;
  if (!(thrown instanceof StoreUnavailable) || !thrown.commitInDoubt) return undefined;
  return new ApiError('internal_error', DETAIL, { cause: thrown });
}
