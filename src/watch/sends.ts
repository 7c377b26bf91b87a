import { formatId } from '../kernel/ids.ts';
import type { Sends } from '../messages/send/send.ts';
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
