import type { CompletedRequest, SettledMessage } from './settle-store.ts';

/** Outcomes of one send's messages. */
export interface Settlement {
  /**
   * `meanwhile`: others of the request are still under way; `end`: these are the last ones, and complete it; `late`: the
   * answer said `unknown`.
   */
  when: 'meanwhile' | 'end' | 'late';
  settled: SettledMessage[];
  /** At the `end` only. */
  completed: CompletedRequest | null;
  /** Of the body that the messages' own contents came in; 0 where they have none. */
  bytes: number;
}
