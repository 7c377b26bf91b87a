/** An event in one line: when, what, its place in the log, and what happened to whom. */
export function describe(event: Record<string, unknown>, seen: Set<string>): string {
  const type = String(event.type);
  const place = typeof event.sequence === 'number' ? `#${event.sequence}` : '';
  const [subject] = Object.values(Object(event.data)).map(describeSubject);
  const again = seen.has(String(event.id)) ? '  (again)' : '';
  return `${clock()}  ${type.padEnd(18)} ${place.padEnd(6)} ${subject ?? ''}${again}`;
}

function describeSubject(subject: unknown): string {
  const {
    id,
    direction,
    to,
    from,
    name,
    phone_number: number,
    url,
    status,
    suspended,
    disabled_reason: reason,
    error,
  } = Object(subject);
  const person = direction === 'inbound' ? from && `from ${from}` : to && `to ${to}`;
  // Nothing else in an account's event tells the two apart.
  const account = typeof suspended === 'boolean' ? (suspended ? 'suspended' : 'not suspended') : undefined;
  const why = typeof error === 'object' && error !== null ? (error.message ?? error.code) : undefined;
  return [id, person, name, number, url, status, account, reason, why]
    .filter((word) => typeof word === 'string')
    .join('  ');
}

/** The time of day in UTC, to the millisecond. */
export function clock(): string {
  return new Date().toISOString().slice(11, 23);
}
