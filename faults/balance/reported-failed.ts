import type { Books } from './books.ts';

/**
 * The messages of which the provider reported a failure after it took them. Recovery composes a lost answer from what is
 * known by then, so an entry of such a message may tell of that failure.
 */
export function reportedFailed({ statuses }: Books): Set<string> {
  return new Set(statuses.flatMap(({ messageId, status }) => (status === 'failed' ? messageId : [])));
}
