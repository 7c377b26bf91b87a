const LOCAL = new Intl.DateTimeFormat(undefined, {
  ...{ year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  hourCycle: 'h23',
});
const SHORT = new Intl.DateTimeFormat(undefined, {
  ...{ month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  hourCycle: 'h23',
});

/** A time in the zone of whoever reads it. */
export function localTime(at: string | number): string {
  return LOCAL.format(new Date(at));
}

/** The same without the year, for lists. */
export function shortTime(at: string | number): string {
  return SHORT.format(new Date(at));
}

/** The same time for whoever compares it with a log. */
export function utcTime(at: string | number): string {
  return `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

/** A span in the unit that a person would choose. */
export function spanOf(milliseconds: number): string {
  const ms = Math.abs(milliseconds);
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
  return `${(ms / 86_400_000).toFixed(1)} days`;
}
