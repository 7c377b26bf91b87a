import type { Operation } from '../http/operation.ts';
import { ref } from '../http/schema-words.ts';

/** How the API description tells of the statistics. */
export const statisticsOperations = {
  statistics: {
    id: 'getStatistics',
    tag: 'Messages',
    description:
      "Counts the messages of the key's mode by the time at which they were created and by the status that they have now. It reads stored counts, so it is quick however many messages there are, and the counts are a few seconds old. A range has at most 750 buckets.",
    answers: { 200: { description: 'The counts.', schema: ref('Statistics') } },
  },
} as const satisfies Record<string, Operation>;
