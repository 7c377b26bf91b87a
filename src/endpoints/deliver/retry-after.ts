/**
 * The milliseconds that a `Retry-After` asks for, as seconds or as a date (RFC 9110 section 10.2.3); undefined for
 * anything else. The caller bounds it: a number of many digits is `Infinity`.
 */
export function readRetryAfterMs(header: string, nowMs: number): number | undefined {
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const untilMs = readHttpDateMs(text);
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - nowMs);
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`, which senders must use, and `Sunday, 06-Nov-94 08:49:37 GMT`, which they once did. */
const WITH_ZONE =
  /^([A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4}|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2}) \d{2}:\d{2}:\d{2} GMT$/;
/** `Sun Nov  6 08:49:37 1994`, as `asctime` of C writes it. */
const WITHOUT_ZONE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** All three forms that a recipient must accept (RFC 9110 section 5.6.7); all of them mean UTC. */
function readHttpDateMs(text: string): number {
  if (WITH_ZONE.test(text)) return Date.parse(text);
  return WITHOUT_ZONE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
