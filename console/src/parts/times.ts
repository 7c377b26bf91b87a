const LOCAL = new Intl.DateTimeFormat(undefined, {
  ...{ year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  hourCycle: 'h23',
});
const SHORT = new Intl.DateTimeFormat(undefined, {
  ...{ month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  hourCycle: 'h23',
});

/** A time in the reader's own zone. */
export function localTime(at: string | number): string {
  return LOCAL.format(new Date(at));
}

/** Half a year: within it, before or after, each day and month is there once. */
const SAME_YEAR_MS = 182 * 86_400_000;

/** The same for lists: without the year where nobody can take it for a time of another one. */
export function shortTime(at: string | number, nowMs = Date.now()): string {
  const time = new Date(at);
  return (Math.abs(time.getTime() - nowMs) < SAME_YEAR_MS ? SHORT : LOCAL).format(time);
}

/** The same time in UTC, to be compared with a log. */
export function utcTime(at: string | number): string {
  return `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
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
