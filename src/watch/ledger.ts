import type { Ledger } from '../messages/commit/ledger.ts';
import type { Settlement } from '../messages/commit/settlement.ts';
import type { SendWatch } from './running-sends.ts';

/** Measures and traces the two commits of a send, and counts the messages that are settled after its answer. */
export function watchLedger(ledger: Ledger, { metrics, traces, running }: SendWatch): Ledger {
  return {
    ...ledger,
    async begin(request, leftMs) {
      const begunMs = performance.now();
      const send = running.find(request.id);
      if (send !== undefined) metrics.step('prepare', (begunMs - send.begunMs) / 1_000);
      const span = send?.span && traces?.begin('first_commit', 'internal', send.span.traceparent);
      try {
        const begun = await ledger.begin(request, leftMs);
        metrics.step('first_commit', secondsSince(begunMs));
        if (begun && send?.span !== undefined) running.traceMessages(send, send.span, request.intended);
        span?.end();
        return begun;
      } catch (error) {
        span?.end({}, 'not_committed');
        throw error;
      }
    },
    async settle(settlement) {
      const begunMs = performance.now();
      const send = running.find(requestOf(settlement));
      const span = send?.span && traces?.begin('second_commit', 'internal', send.span.traceparent);
      try {
        await ledger.settle(settlement);
        metrics.step('second_commit', secondsSince(begunMs));
        span?.end();
      } catch (error) {
        span?.end({}, 'not_committed');
        throw error;
      }
      if (settlement.when === 'late') for (const { outcome } of settlement.settled) metrics.settledLate(outcome.status);
    },
  };
}

function secondsSince(sinceMs: number): number {
  return (performance.now() - sinceMs) / 1_000;
}

/** Empty for a late settlement: the call that it belongs to has been counted. */
function requestOf({ when, settled, completed }: Settlement): string {
  return when === 'late' ? '' : (completed?.id ?? settled[0]?.requestId ?? '');
}
