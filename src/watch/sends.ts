import { formatId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import type { AggregateAnswer } from '../messages/answer.ts';
import type { Sends } from '../messages/send/send.ts';
import type { SendMetrics } from '../observe/send-metrics.ts';
import type { SendCounts, SendWatch } from './running-sends.ts';

/** Counts and traces sends. */
export function watchSends(sends: Sends, { metrics, traces, running }: SendWatch): Sends {
  return {
    ...sends,
    async send(call) {
      const sinceMs = Date.now() - (performance.now() - call.arrivedMs);
      const span = traces?.begin('send', 'server', call.traceparent, { facts: factsOf(call), sinceMs });
      const own = running.begin(call.requestId, call.arrivedMs, span);
      metrics.running(1);
      try {
        const result = await sends.send(span === undefined ? call : { ...call, traceparent: span.traceparent });
        if (!result.replayed) own.counts = countEntries(metrics, call.principal.mode, result.told);
        span?.end(factsOfEnd(result.replayed, own.counts));
        return result;
      } catch (error) {
        span?.end({}, 'refused');
        throw error;
      } finally {
        metrics.running(-1);
        running.end(call.requestId, own);
      }
    },
  };
}

/**
 * From the answer itself: what is committed may differ, because a notification may have proven what nobody knew, and a commit that is
 * refused is made again.
 */
function countEntries(metrics: SendMetrics, mode: Mode, told: AggregateAnswer): SendCounts {
  const { accepted_count: accepted, failed_count: failed, unknown_count: unknown, results } = told;
  if (accepted > 0) metrics.entries(mode, 'accepted', 'none', accepted);
  // Most messages are accepted, so these are counted together.
  if (failed + unknown > 0)
    for (const { status, error } of results)
      if (status !== 'accepted') metrics.entries(mode, status, error?.code ?? 'none', 1);
  return { accepted, failed, unknown };
}

function factsOf({ requestId, principal, command }: Parameters<Sends['send']>[0]) {
  return {
    'waypost.request_id': formatId('req', requestId),
    'waypost.account_id': principal.accountId,
    'waypost.mode': principal.mode,
    'waypost.recipients': command.recipients.length,
  };
}

function factsOfEnd(replayed: boolean, counts: SendCounts | undefined) {
  if (counts === undefined) return { 'waypost.replayed': replayed };
  const { accepted, failed, unknown } = counts;
  return { 'waypost.accepted': accepted, 'waypost.failed': failed, 'waypost.unknown': unknown };
}
