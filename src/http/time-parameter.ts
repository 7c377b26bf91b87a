import { ApiError } from '../kernel/errors.ts';

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Reads a time of the query, in milliseconds since 1970. Anything but an RFC 3339 time is `invalid_request`. */
export function readTimeParameter(parameter: string, text: string): number {
  const [, day] = RFC_3339.exec(text) ?? [];
  const timeMs = day !== undefined && isInCalendar(day) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(timeMs)) return timeMs;
  throw new ApiError('invalid_request', 'The query is not valid.', {
    errors: [{ parameter, detail: 'This must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.' }],
  });
}

/** `Date` reads the 30th of February as a day in March. */
function isInCalendar(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return Number.isFinite(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
