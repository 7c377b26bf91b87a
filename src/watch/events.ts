import { EVENT_APPEND } from '../events/store.ts';
import type { Mode } from '../kernel/principal.ts';
import type { CallbackMetrics } from '../observe/callback-metrics.ts';
import type { Span, Traces } from '../observe/traces.ts';
import type { Database, Transaction } from '../store/database.ts';

/** The parameters of the statement that records events. */
type AppendValues = readonly [
  accountIds: unknown,
  modes: Mode[],
  ids: unknown,
  types: string[],
  data: unknown,
  traceparents: (string | null)[],
  sequences: unknown,
];

interface Recorded {
  modes: Mode[];
  types: string[];
  spans: Span[];
}

/**
 * The same database, whose recorded events are counted once their transaction is committed, and traced: an event is a step
 * in the trace of the request that it follows from, and the delivery a step after it. All writers of events go through one
 * statement, so that it is recognised here and none of them needs to know.
 */
export function watchEvents(database: Database, metrics: CallbackMetrics, traces: Traces | undefined): Database {
  return {
    ...database,
    async transaction(work, limits) {
      const recorded: Recorded[] = [];
      try {
        const result = await database.transaction((tx) => work(watchAppends(tx, recorded, traces)), limits);
        for (const { modes, types, spans } of recorded) {
          types.forEach((type, place) => {
            metrics.eventRecorded(modes[place] ?? 'live', type);
          });
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

function watchAppends(tx: Transaction, recorded: Recorded[], traces: Traces | undefined): Transaction {
  return {
    ...tx,
    query(sql, values) {
      if (sql !== EVENT_APPEND || !isAppend(values)) return tx.query(sql, values);
      const [accountIds, modes, ids, types, data, traceparents, sequences] = values;
      const spans: Span[] = [];
      recorded.push({ modes, types, spans });
      if (traces === undefined) return tx.query(sql, values);
      const continued = traceparents.map((traceparent, place) => {
        if (traceparent === null) return null;
        const span = traces.begin('event', 'producer', traceparent, { 'waypost.event_type': types[place] ?? '' });
        spans.push(span);
        return span.traceparent;
      });
      return tx.query(sql, [accountIds, modes, ids, types, data, continued, sequences]);
    },
  };
}

function isAppend(values: readonly unknown[] | undefined): values is AppendValues {
  return values !== undefined && [values[1], values[3], values[5]].every(Array.isArray);
}
