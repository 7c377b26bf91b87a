import { createBatcher } from '../../store/batcher.ts';
import type { Queryable } from '../../store/database.ts';
import { findTransmitting, type WantedMessage } from '../commit/under-way-store.ts';

const LOOKS_A_QUERY_MAX = 100;

/** Whether a message of a send that this node carries out is still under way, and not settled by somebody else. */
export type IsTransmitting = (message: WantedMessage) => Promise<boolean>;

/**
 * Makes what looks at messages before they are transmitted again. The looks of one moment share a query: a provider that
 * throttles does so to many messages at once.
 */
export function createIsTransmitting(store: Queryable): IsTransmitting {
  const looks = createBatcher<WantedMessage, boolean>({
    itemsMax: LOOKS_A_QUERY_MAX,
    flush: async (wanted) => {
      const found = await findTransmitting(store, wanted);
      return wanted.map(({ messageId }) => found.has(messageId));
    },
  });
  return looks.add;
}
