import { ApiError, type Fault } from '../kernel/errors.ts';

/** The refusal of a call with these faults of its query and its body, at least one. */
export function invalidRequest(faults: readonly Fault[]): ApiError {
  const faulty = faults.every((fault) => 'parameter' in fault) ? 'query' : 'body';
  return new ApiError('invalid_request', `The ${faulty} is not valid.`, { errors: [...faults] });
}
