import type { Queryable } from '../store/database.ts';
import { composeStatement } from '../store/statement-part.ts';
import { attemptsPart, type EndpointName, type NewAttempt, successPart } from './attempt-store.ts';
import { removalPart, type Taken } from './delivery-store.ts';

/** Attempts that succeeded, with what follows from them. */
export interface Successes {
  /** Each endpoint once, always in one order. */
  endpoints: readonly EndpointName[];
  attempts: readonly NewAttempt[];
  deliveries: readonly Taken[];
}

/** Writes it all in one statement, because each further one costs as much as a dozen attempts. */
export async function recordSuccesses(store: Queryable, { endpoints, attempts, deliveries }: Successes): Promise<void> {
  const { text, values } = composeStatement([successPart(endpoints), attemptsPart(attempts), removalPart(deliveries)]);
  await store.query(text, values);
}
