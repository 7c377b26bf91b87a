import type { Books } from './books.ts';

/**
 * The messages for which the provider reported a failure after it had taken them. When a recovery composes an answer that was lost, it uses
 * what is known by then. So the entry of such a message may say that it failed.
 */
export function reportedFailed({ statuses }: Books): Set<string> {
  return new Set(statuses.flatMap(({ messageId, status }) => (status === 'failed' ? messageId : [])));
}
