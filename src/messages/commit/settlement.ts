import type { CompletedRequest, SettledMessage } from './settle-store.ts';

/**
 * Outcomes of one send's messages. `meanwhile`: others of the request are still under way; `end`: these are the last ones, and complete
 * it; `late`: the answer said `unknown`.
 */
export type Settlement = SettledTogether &
  ({ when: 'meanwhile' | 'late'; completed: null } | { when: 'end'; completed: CompletedRequest });

interface SettledTogether {
  settled: SettledMessage[];
  /** Of the body that the messages' own contents came in; 0 where they have none. */
  bytes: number;
}
