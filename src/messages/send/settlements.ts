import type { NewRequest } from '../commit/begin-store.ts';
import type { CompletedRequest, SettledMessage } from '../commit/settle-store.ts';
import type { Settlement } from '../commit/settlement.ts';
import type { IntendedMessage, Outcome } from '../message.ts';

/** A message whose outcome is known. */
export interface Known {
  message: IntendedMessage;
  outcome: Outcome;
}

/** Some outcomes of a request that are stored apart from its last ones. */
export function partOf(request: NewRequest, when: 'meanwhile' | 'late', known: readonly Known[]): Settlement {
  return { when, settled: settledOf(request, known), completed: null, bytes: bytesOf(request) };
}

/** The last outcomes of a request, with its answer; undefined: there is none, which is a fault of ours. */
export function endOf(request: NewRequest, known: readonly Known[], answer: string | undefined): Settlement {
  return {
    when: 'end',
    settled: settledOf(request, known),
    completed: completedOf(request, answer),
    bytes: bytesOf(request),
  };
}

function settledOf(request: NewRequest, known: readonly Known[]): SettledMessage[] {
  const { accountId, id: requestId, channelId, mode, content } = request;
  return known.map((one) => ({ accountId, requestId, channelId, mode, type: content.type, ...one }));
}

/** Without an answer the key stays taken and has none: sending again under it might send twice. */
function completedOf({ accountId, id, mode, idempotency }: NewRequest, answer: string | undefined): CompletedRequest {
  if (idempotency === null || answer === undefined) return { accountId, id, replay: null };
  return { accountId, id, replay: { mode, key: idempotency.key, answer } };
}

/** What all messages have in common is stored with the request, and nothing of it with them. */
function bytesOf({ intended, bytes }: NewRequest): number {
  return intended.some(({ components }) => components !== null) ? bytes : 0;
}
