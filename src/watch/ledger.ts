import type { Ledger } from '../messages/commit/ledger.ts';
import type { Settlement } from '../messages/commit/settlement.ts';
import type { SendMetrics } from '../observe/send-metrics.ts';
import type { SendCounts, SendWatch } from './running-sends.ts';

type NewRequest = Parameters<Ledger['begin']>[0];

/** Measures and traces the two commits of a send, and counts what became of its messages. */
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
        if (begun) countRefused(metrics, request);
        if (begun && send !== undefined) {
          send.counts = { accepted: 0, failed: request.refused.length, unknown: 0 };
          if (send.span !== undefined) running.traceMessages(send, send.span, request.intended);
        }
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
      countOutcomes(metrics, settlement, send?.counts);
      const span = send?.span && traces?.begin('second_commit', 'internal', send.span.traceparent);
      await ledger.settle(settlement);
      span?.end();
      metrics.step('second_commit', secondsSince(begunMs));
    },
  };
}

function secondsSince(sinceMs: number): number {
  return (performance.now() - sinceMs) / 1_000;
}

function countRefused(metrics: SendMetrics, { mode, refused }: NewRequest): void {
  for (const { error } of refused) metrics.entries(mode, 'failed', error.code, 1);
}

/** Empty for a late settlement: the call that it belongs to has been counted. */
function requestOf({ when, settled, completed }: Settlement): string {
  return when === 'late' ? '' : (completed?.id ?? settled[0]?.requestId ?? '');
}

/** Most messages are accepted, so these are counted together. */
function countOutcomes(metrics: SendMetrics, { when, settled }: Settlement, counts: SendCounts | undefined): void {
  let accepted = 0;
  for (const { outcome, mode } of settled) {
    if (when === 'late') metrics.settledLate(outcome.status);
    else if (outcome.status === 'accepted') accepted += 1;
    else metrics.entries(mode, outcome.status, outcome.error?.code ?? 'none', 1);
    if (counts !== undefined) counts[outcome.status] += 1;
  }
  const [first] = settled;
  if (accepted > 0 && first !== undefined) metrics.entries(first.mode, 'accepted', 'none', accepted);
}
