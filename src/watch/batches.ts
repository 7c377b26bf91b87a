import type { Logger } from 'pino';
import { idTimeMs } from '../kernel/ids.ts';
import type { AppliedBatch } from '../notifications/apply.ts';
import type { CallbackMetrics } from '../observe/callback-metrics.ts';

/** Counts what a round of the processor has committed, and tells it to the log in one line. */
export function watchBatches(metrics: CallbackMetrics, log: Logger): (batch: AppliedBatch, durationMs: number) => void {
  return ({ results, itemKinds }, durationMs) => {
    const nowMs = Date.now();
    for (const { id, state, error } of results) {
      metrics.processed(state, error ?? 'none');
      if (state === 'applied') metrics.applied((nowMs - idTimeMs(id)) / 1_000);
    }
    const kinds = countEach(itemKinds);
    for (const [kind, count] of kinds) metrics.items(kind, count);
    const states = countEach(results.map(({ state }) => state));
    const line = {
      ...{ notifications: results.length, items: itemKinds.length },
      ...Object.fromEntries(states),
      kinds: Object.fromEntries(kinds),
      duration_ms: Math.round(durationMs),
    };
    // Under load there are many batches, and only those that leave something are news.
    if (states.get('applied') === results.length) log.debug(line, 'notifications.applied');
    else log.info(line, 'notifications.applied');
  };
}

function countEach<Word>(words: readonly Word[]): Map<Word, number> {
  const counts = new Map<Word, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
