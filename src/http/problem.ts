import { API_ERRORS, type ApiError, type Fault } from '../kernel/errors.ts';
import { firstFaults } from '../kernel/first-faults.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** Room for all faults that a person can mend in one go, with the usual pointers. */
const FAULTS_CHARACTERS_MAX = 256 << 10;

/** A problem page by RFC 9457, with our stable `code`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  errors?: Fault[];
}

/** `requestId` is the call's TypeID, `docsUrl` the base of the error pages without a final slash. */
export function problemOf(error: ApiError, requestId: string, docsUrl: string): Problem {
  return {
    type: `${docsUrl}/${error.code}`,
    title: API_ERRORS[error.code].title,
    status: error.status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.errors !== undefined && { errors: firstFaults(error.errors, FAULTS_CHARACTERS_MAX) }),
  };
}
