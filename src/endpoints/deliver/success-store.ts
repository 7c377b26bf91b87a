import type { Queryable } from '../../store/database.ts';
import { composeStatement } from '../../store/statement-part.ts';
import { attemptsPart, type NewAttempt } from './attempt-store.ts';
import { type Placed, removalPart } from './delivery-store.ts';
import { type EndpointAtAddress, successPart } from './note-store.ts';

/** Attempts that succeeded, with what follows from them. */
export interface Successes {
  /** Each endpoint once, always in one order. */
  endpoints: readonly EndpointAtAddress[];
  attempts: readonly NewAttempt[];
  deliveries: readonly Placed[];
}

/**
 * Writes it all in one statement, because each further one costs as much as a dozen attempts. Returns how many of the
 * deliveries are taken away with it; the others were written meanwhile, and are still there or are taken away already.
 */
export async function recordSuccesses(
  store: Queryable,
  { endpoints, attempts, deliveries }: Successes,
): Promise<number> {
  const { text, values } = composeStatement([successPart(endpoints), attemptsPart(attempts), removalPart(deliveries)]);
  const [row] = await store.query<{ removed: number }>(text, values);
  return row?.removed ?? 0;
}
