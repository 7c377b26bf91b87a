import type { Books, PostedStatus, StoredReport } from './books.ts';
import { lateAnswers } from './late-answer.ts';

/** Every notification that was answered 200 must be kept, and each must have one effect. */
export function balanceNotifications(books: Books): string[] {
  const reports = Map.groupBy(books.reports, ({ messageId, status }) => `${messageId} ${status}`);
  return [
    ...balanceBodies(books),
    ...books.statuses.flatMap((posted) =>
      balanceStatus(posted, reports.get(`${posted.messageId} ${posted.status}`) ?? []),
    ),
    ...balanceUnposted(books),
    ...balanceInbound(books),
  ];
}

/** The stored bodies are compared by their raw bytes, before anything is read from them. */
function balanceBodies({ bodies, notifications }: Books): string[] {
  const stored = Map.groupBy(notifications, ({ sha256 }) => sha256);
  return bodies.flatMap(({ sha256, kind, acknowledged, posted }) => {
    const rows = stored.get(sha256) ?? [];
    const count = rows.reduce((sum, row) => sum + row.count, 0);
    const faults: string[] = [];
    if (count < acknowledged) faults.push(`${acknowledged} of a ${kind} were acknowledged and ${count} are stored`);
    if (count > posted) faults.push(`${posted} of a ${kind} were posted and ${count} are stored`);
    const wrong = rows.filter(({ state }) => state !== STATE_OF[kind]);
    return [...faults, ...wrong.map(({ state }) => `A ${kind} ended ${state}`)];
  });
}

/** A stray status is about a message that nobody knows, so it waits. Rubbish is set aside. */
const STATE_OF = { status: 'applied', inbound: 'applied', stray: 'waiting', rubbish: 'set_aside' };

function balanceStatus({ messageId, status, acknowledged, posted }: PostedStatus, reports: StoredReport[]): string[] {
  const faults: string[] = [];
  const told = `${status} of ${messageId}`;
  if (reports.length < acknowledged)
    faults.push(`${told} was acknowledged ${acknowledged} times and noted ${reports.length} times`);
  if (reports.length > posted) faults.push(`${told} was posted ${posted} times and noted ${reports.length} times`);
  const firsts = reports.filter(({ note }) => note !== 'duplicate').length;
  if (reports.length > 0 && firsts !== 1) faults.push(`${told} had its effect ${firsts} times`);
  return faults;
}

function balanceUnposted(books: Books): string[] {
  const known = new Set(books.statuses.map(({ messageId, status }) => `${messageId} ${status}`));
  const late = lateAnswers(books);
  return books.reports.flatMap((report) => {
    const { messageId, status } = report;
    if (known.has(`${messageId} ${status}`) || late.get(messageId) === report) return [];
    return [`${status} of ${messageId} was noted and never posted`];
  });
}

function balanceInbound({ inboundIds, messages }: Books): string[] {
  const stored = messages.filter(({ direction }) => direction === 'inbound');
  const counts = Map.groupBy(stored, ({ providerMessageId }) => providerMessageId);
  return [
    ...inboundIds.flatMap((id) => {
      const count = counts.get(id)?.length ?? 0;
      return count === 1 ? [] : [`The text ${id} is stored ${count} times`];
    }),
    ...[...counts.keys()].filter((id) => !inboundIds.includes(id ?? '')).map((id) => `The text ${id} was never posted`),
  ];
}
