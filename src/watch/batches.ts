import type { Logger } from 'pino';
import { formatId, idTimeMs } from '../kernel/ids.ts';
import type { AppliedBatch } from '../notifications/apply.ts';
import type { CallbackMetrics } from '../observe/callback-metrics.ts';

/** Counts what a round of the processor has committed, and tells it to the log: in one line, and in a second one if something could not be read. */
export function watchBatches(metrics: CallbackMetrics, log: Logger): (batch: AppliedBatch, durationMs: number) => void {
  return ({ results, itemKinds, unread }, durationMs) => {
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
    tellUnread(unread, log);
  };
}

/** One line for all of them, with the first as an example: if the provider changes a form, every notification may have such an item. */
function tellUnread(unread: AppliedBatch['unread'], log: Logger): void {
  const [first] = unread;
  if (first === undefined) return;
  const reasons = Object.fromEntries(countEach(unread.map(({ reason }) => reason)));
  const { notificationId, reason, pointer } = first;
  const example = { notification_id: formatId('ntf', notificationId), reason, pointer };
  log.warn({ items: unread.length, reasons, example }, 'notifications.undecodable');
}

function countEach<Word>(words: readonly Word[]): Map<Word, number> {
  const counts = new Map<Word, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
