/** Writes times in one form, in the reader's own zone or in UTC. */
export function zonedFormat(options: Intl.DateTimeFormatOptions): (time: Date, isUtc: boolean) => string {
  const own = new Intl.DateTimeFormat(undefined, options);
  const utc = new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' });
  return (time, isUtc) => (isUtc ? utc : own).format(time);
}
