import type { MessageStatus } from '../message.ts';

/**
 * Where a notification may take a message. A status never moves backwards, steps may be skipped, and what has
 * been delivered cannot fail any more. `failed` after a refused send may still turn out to have been sent.
 */
const NEXT_BY_NOTIFICATION: Record<MessageStatus, readonly MessageStatus[]> = {
  pending: [],
  transmitting: ['sent', 'delivered', 'read', 'failed'],
  unknown: ['sent', 'delivered', 'read', 'failed'],
  accepted: ['sent', 'delivered', 'read', 'failed'],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  failed: ['delivered', 'read'],
  read: [],
  received: [],
};

const KNOWN_REPORTS = ['sent', 'delivered', 'read', 'failed'] as const;
type KnownReport = (typeof KNOWN_REPORTS)[number];

/** What is known of a message when a report of the provider arrives. */
export interface KnownState {
  status: MessageStatus;
  /** What the send itself found out; null while it has not. */
  outcome: MessageStatus | null;
  /** Every status that was reported before. */
  reported: ReadonlySet<string>;
}

/** What a report does: it moves the message, or it is only noted. */
export type Verdict = { kind: 'moves'; to: KnownReport } | { kind: 'noted'; note: 'late' | 'duplicate' | null };

/** Judges one report, by the table above. A status that we do not know is kept in the history and changes nothing. */
export function judgeReport(known: KnownState, report: string): Verdict {
  if (known.reported.has(report)) return { kind: 'noted', note: 'duplicate' };
  const status = KNOWN_REPORTS.find((name) => name === report);
  if (status === undefined) return { kind: 'noted', note: null };
  if (mayMove(known, status)) return { kind: 'moves', to: status };
  return { kind: 'noted', note: status === known.status ? 'duplicate' : 'late' };
}

function mayMove({ status, outcome, reported }: KnownState, to: KnownReport): boolean {
  // A failure that the provider reported comes after its `sent`, in whatever order the two arrive.
  if (status === 'failed' && to === 'sent') return outcome === 'failed' && !reported.has('failed');
  // Only a later version, beside this one or before it, knows what may follow a status that is not known here.
  const next: Partial<Record<string, readonly MessageStatus[]>> = NEXT_BY_NOTIFICATION;
  return next[status]?.includes(to) ?? false;
}
