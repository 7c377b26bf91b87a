import { ApiError } from './errors.ts';

/**
 * The refusal of a call that cannot be served now, and that transmitted nothing: 503 with `Retry-After`, which no such answer
 * may lack. `cause` is for the log.
 */
export function unavailable(detail: string, { retryAfterSeconds = 1, cause }: UnavailableExtras = {}): ApiError {
  return new ApiError('unavailable', detail, { cause, headers: { 'retry-after': String(retryAfterSeconds) } });
}

interface UnavailableExtras {
  retryAfterSeconds?: number;
  cause?: unknown;
}
