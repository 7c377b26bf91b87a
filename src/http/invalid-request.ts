import { ApiError, type Fault } from '../kernel/errors.ts';

/** As many as the check of a body finds. The query and what JSON itself forbids have bounds of their own, which come together here. */
const FAULTS_MAX = 300;

/** The refusal of a call with these faults of its query and its body, at least one. */
export function invalidRequest(faults: readonly Fault[]): ApiError {
  const faulty = faults.every((fault) => 'parameter' in fault) ? 'query' : 'body';
  return new ApiError('invalid_request', `The ${faulty} is not valid.`, { errors: faults.slice(0, FAULTS_MAX) });
}
