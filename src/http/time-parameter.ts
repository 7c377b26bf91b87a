import { textOfForm } from './text-of-form.ts';

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** A time in a query; anything but an RFC 3339 time is a fault of it. */
export function timeParameter(description: string) {
  return textOfForm(
    { description },
    (text) => Number.isFinite(readTimeMs(text)),
    () => 'This must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.',
  );
}

/** Reads a time in milliseconds since 1970; NaN for what a query may not have. */
export function readTimeMs(text: string): number {
  // The plus of an offset that nobody has escaped arrives as a space.
  const time = text.replace(/ (?=\d{2}:\d{2}$)/, '+');
  const [, day] = RFC_3339.exec(time) ?? [];
  return day !== undefined && isInCalendar(day) ? Date.parse(time) : Number.NaN;
}

/** `Date` reads the 30th of February as a day in March. */
function isInCalendar(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return Number.isFinite(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
