import type { Transaction } from '../store/database.ts';
import type { EventDraft } from './event.ts';

/** Is shown events as they are recorded. Returns the `traceparent` to record with each, in their order. */
export type OnAppend = (drafts: readonly EventDraft[]) => readonly (string | null)[];

const ON_APPEND = Symbol('whoever watches the events of this transaction');
type Watched = Transaction & { [ON_APPEND]?: OnAppend };

/** The same transaction, of whose events `onAppend` is told. It goes with the transaction, so that no writer needs to know. */
export function withOnAppend(tx: Transaction, onAppend: OnAppend): Transaction {
  const watched: Watched = { ...tx, [ON_APPEND]: onAppend };
  return watched;
}

/** What is recorded with each event: its own `traceparent`, unless the transaction is watched by somebody who knows better. */
export function traceparentsOf(tx: Transaction, drafts: readonly EventDraft[]): readonly (string | null)[] {
  const { [ON_APPEND]: onAppend }: Watched = tx;
  return onAppend?.(drafts) ?? drafts.map(({ traceparent }) => traceparent);
}
