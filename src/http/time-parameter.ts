import { ApiError } from '../kernel/errors.ts';

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Reads a time of the query, in milliseconds since 1970. Anything but an RFC 3339 time is `invalid_request`. */
export function readTimeParameter(parameter: string, text: string): number {
  const timeMs = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(timeMs)) return timeMs;
  throw new ApiError('invalid_request', 'The query is not valid.', {
    errors: [{ parameter, detail: 'This must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.' }],
  });
}
