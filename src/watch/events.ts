import type { EventDraft } from '../events/event.ts';
import { withOnAppend } from '../events/on-append.ts';
import { isRecord } from '../kernel/is-record.ts';
import type { CallbackMetrics } from '../observe/callback-metrics.ts';
import type { Span, Traces } from '../observe/traces.ts';
import type { Database } from '../store/database.ts';

interface Recorded {
  drafts: readonly EventDraft[];
  spans: Span[];
}

/**
 * The same database, whose recorded events are counted once their transaction is committed, and traced: an event is a step
 * in the trace of the request that it follows from, and the delivery a step after it.
 */
export function watchEvents(database: Database, metrics: CallbackMetrics, traces: Traces | undefined): Database {
  return {
    ...database,
    async transaction(work, limits) {
      const recorded: Recorded[] = [];
      try {
        const onAppend = (drafts: readonly EventDraft[]) => beginSteps(drafts, recorded, traces);
        const result = await database.transaction((tx) => work(withOnAppend(tx, onAppend)), limits);
        for (const { drafts, spans } of recorded) {
          for (const draft of drafts) count(draft, metrics);
          for (const span of spans) span.end();
        }
        return result;
      } catch (error) {
        for (const { spans } of recorded) for (const span of spans) span.end({}, 'rolled_back');
        throw error;
      }
    },
  };
}

function count({ mode, type, data }: EventDraft, metrics: CallbackMetrics): void {
  metrics.eventRecorded(mode, type);
  if (type !== 'message.failed') return;
  const error = isRecord(data.message) ? data.message.error : undefined;
  metrics.failedLater(mode, isRecord(error) && typeof error.code === 'string' ? error.code : 'none');
}

/** Begins a step for each event that follows from a traced request, and returns what names it. */
function beginSteps(
  drafts: readonly EventDraft[],
  recorded: Recorded[],
  traces: Traces | undefined,
): readonly (string | null)[] {
  const spans: Span[] = [];
  recorded.push({ drafts, spans });
  return drafts.map(({ traceparent, type }) => {
    if (traces === undefined || traceparent === null) return traceparent;
    const span = traces.begin('event', 'producer', traceparent, { facts: { 'waypost.event_type': type } });
    spans.push(span);
    return span.traceparent;
  });
}
