import type { Books, EventLog, FedEvent, StoredMessage, StoredReport } from './books.ts';

/** Statuses that a notification reports, and that an event announces. */
const TOLD = ['sent', 'delivered', 'read', 'failed'];

/** Each log must be numbered 1..N, and must announce each step of each message once. */
export function balanceEvents(books: Books): string[] {
  const reports = Map.groupBy(books.reports, ({ messageId }) => messageId);
  return books.logs.flatMap((log) => {
    const byMessage = Map.groupBy(log.events, ({ messageId }) => messageId ?? '');
    const owned = books.messages.filter(({ account }) => account === log.account);
    const known = new Set(owned.map(({ id }) => id));
    return [
      ...balanceNumbers(log),
      ...owned.flatMap((message) =>
        balanceMessage(message, byMessage.get(message.id) ?? [], reports.get(message.id) ?? []),
      ),
      ...[...byMessage.keys()].filter((id) => id !== '' && !known.has(id)).map((id) => `An event tells of ${id}`),
    ];
  });
}

function balanceNumbers({ account, latest, events }: EventLog): string[] {
  const faults = events.flatMap(({ sequence }, place) =>
    sequence === place + 1 ? [] : [`The log of ${account} has number ${sequence} at place ${place + 1}`],
  );
  // After a gap all that follow are shifted, so the first fault says it all.
  const [first] = faults;
  if (first !== undefined) return [first];
  return latest === events.length ? [] : [`The log of ${account} ends at ${events.length}, and it says ${latest}`];
}

function balanceMessage(message: StoredMessage, events: FedEvent[], reports: StoredReport[]): string[] {
  const count = (status: string) => events.filter(({ type }) => type === `message.${status}`).length;
  const moved = new Set(reports.filter(({ note }) => note === null).map(({ status }) => status));
  const faults: string[] = [];
  const expect = (status: string, allowed: readonly number[]) => {
    if (!allowed.includes(count(status)))
      faults.push(`${message.id} has ${count(status)} events message.${status}, not ${allowed.join(' or ')}`);
  };
  // A recovery announces a failure too, and also an `unknown` that a notification has settled since.
  for (const status of TOLD) expect(status, moved.has(status) ? [1] : status === 'failed' ? [0, 1] : [0]);
  expect('unknown', message.status === 'unknown' ? [1] : [0, 1]);
  expect('accepted', [0, 1]);
  expect('received', message.direction === 'inbound' ? [1] : [0]);
  const last = events.at(-1)?.type;
  if (
    (moved.size > 0 || message.status === 'unknown') &&
    TOLD.includes(message.status) &&
    last !== `message.${message.status}`
  )
    faults.push(`The last event of ${message.id}, which is ${message.status}, is ${last}`);
  return faults;
}
