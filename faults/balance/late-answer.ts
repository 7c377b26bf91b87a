import type { Books, StoredReport } from './books.ts';

/** The statuses that an answer of the provider can have. Notifications report `failed` too, but never `accepted`. */
const ANSWERS = ['accepted', 'failed'];

/**
 * The lines of timelines that do not come from notifications: what the provider answered after the caller had been told `unknown`. A
 * message has at most one.
 */
export function lateAnswers({ messages, reports, statuses }: Books): Map<string, StoredReport> {
  const unknown = new Set(messages.filter(({ outcome }) => outcome === 'unknown').map(({ id }) => id));
  const posted = new Set(statuses.map(({ messageId, status }) => `${messageId} ${status}`));
  return new Map(
    reports
      .filter(({ messageId, status }) => unknown.has(messageId) && ANSWERS.includes(status))
      .filter(({ messageId, status }) => !posted.has(`${messageId} ${status}`))
      .map((report) => [report.messageId, report]),
  );
}
