import { zonedFormat } from './zoned-format.ts';

const SHORT: Intl.DateTimeFormatOptions = {
  ...{ month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  hourCycle: 'h23',
};
const inShort = zonedFormat(SHORT);
const inFull = zonedFormat({ ...SHORT, year: 'numeric' });

/** A time in the reader's own zone; or in UTC, as it stands in a log, to the millisecond. */
export function fullTime(at: string | number, isUtc: boolean): string {
  const time = new Date(at);
  return isUtc ? `${time.toISOString().replace('T', ' ').replace('Z', '')} UTC` : inFull(time, false);
}

/** Half a year: within it, before or after, each day and month is there once. */
const SAME_YEAR_MS = 182 * 86_400_000;

/** The same for lists: without the year where nobody can take it for a time of another one. */
export function shortTime(at: string | number, isUtc: boolean, nowMs = Date.now()): string {
  const time = new Date(at);
  const write = Math.abs(time.getTime() - nowMs) < SAME_YEAR_MS ? inShort : inFull;
  return `${write(time, isUtc)}${isUtc ? ' UTC' : ''}`;
}

/** A span of time in the units that a person would use. */
export function spanOf(milliseconds: number): string {
  const ms = Math.round(Math.abs(milliseconds));
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  // It is rounded before it is divided into units. Otherwise two minutes could be written as one minute and 60 s.
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${(ms / 86_400_000).toFixed(1)} days`;
}
