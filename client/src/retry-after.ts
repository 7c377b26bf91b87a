/**
 * How many seconds a `Retry-After` asks to wait, which is a number of them or the date of HTTP; undefined if there is none that can be read.
 * A date is compared with the time of the answer itself, because the clock here may be another one.
 */
export function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const atMs = readDate(text);
  if (atMs === undefined) return undefined;
  const nowMs = readDate(headers.get('date') ?? '') ?? Date.now();
  return Math.max(0, Math.ceil((atMs - nowMs) / 1_000));
}

/** Of the forms that HTTP has had, the one that is sent today: `Sun, 06 Nov 1994 08:49:37 GMT`. Others would mean another time everywhere. */
function readDate(text: string): number | undefined {
  const ms = /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
