import type { Registry } from 'prom-client';
import type { Mode } from '../kernel/principal.ts';
import { LONG_SECONDS, SECONDS } from './buckets.ts';
import { createCounter } from './counter.ts';
import { createHistogram } from './histogram.ts';
import { SENDER_CODES } from './sender-codes.ts';

/** `refused`: the signature was not right; `not_committed`: answered 503, and the provider posts it again. */
export type Reception = 'committed' | 'refused' | 'not_committed';

export interface CallbackMetrics {
  /** `origin`: whose secret verified it, or `none`. */
  received(origin: Mode | 'none', reception: Reception): void;
  step(step: 'verify' | 'commit', seconds: number): void;
  /** What a round has made of a notification; `reason` is `none` for an applied one. */
  processed(state: string, reason: string): void;
  items(kind: string, count: number): void;
  /** From the answer to the effect. */
  applied(seconds: number): void;
  eventRecorded(mode: Mode, type: string): void;
  /** A message failed after its send was answered, by its error code. */
  failedLater(mode: Mode, code: string): void;
}

export function createCallbackMetrics(registry: Registry): CallbackMetrics {
  const registers = [registry];
  const received = createCounter({
    name: 'waypost_notifications_received_total',
    help: 'Notifications by who signed them (`live`: the provider, `test`: the sandbox) and what became of them.',
    labelNames: ['origin', 'result'],
    registers,
  });
  // A count that begins with its first failure would hide that one from every rate.
  for (const result of ['refused', 'not_committed']) received.inc({ origin: 'none', result }, 0);
  // The other way round: an alert fires for as long as it sees none of these.
  received.inc({ origin: 'live', result: 'committed' }, 0);
  const steps = createHistogram({
    name: 'waypost_callback_step_seconds',
    help: 'How long the callback takes to verify a notification and to commit it.',
    labelNames: ['step'],
    buckets: SECONDS,
    registers,
  });
  const events = createCounter({
    name: 'waypost_events_recorded_total',
    help: 'Events recorded by this node, counted after their commit.',
    labelNames: ['mode', 'type'],
    registers,
  });
  const failedLater = createCounter({
    name: 'waypost_messages_failed_later_total',
    help: 'Messages that failed after their send was answered, mostly because the provider reported it, by mode and error code.',
    labelNames: ['mode', 'code'],
    registers,
  });
  // The provider often refuses a sender only here.
  for (const code of SENDER_CODES) failedLater.inc({ mode: 'live', code }, 0);
  return {
    ...createProcessorMetrics(registry),
    received: (origin, result) => received.inc({ origin, result }),
    step: (step, seconds) => steps.observe({ step }, seconds),
    eventRecorded: (mode, type) => events.inc({ mode, type }),
    failedLater: (mode, code) => failedLater.inc({ mode, code }),
  };
}

function createProcessorMetrics(registry: Registry) {
  const registers = [registry];
  const processed = createCounter({
    name: 'waypost_notifications_processed_total',
    help: 'Notifications by the state a round left them in, and the reason if something could not be applied.',
    labelNames: ['state', 'reason'],
    registers,
  });
  const items = createCounter({
    name: 'waypost_notification_items_total',
    help: 'Items of notifications by kind, once for each try to apply them; `other` and `undecodable` are what this version does not know.',
    labelNames: ['kind'],
    registers,
  });
  const apply = createHistogram({
    name: 'waypost_notification_apply_seconds',
    help: 'From the reception of a notification to the commit of its effect.',
    labelNames: [],
    buckets: LONG_SECONDS,
    registers,
  });
  return {
    processed: (state: string, reason: string) => processed.inc({ state, reason }),
    items: (kind: string, count: number) => items.inc({ kind }, count),
    // The clock of the node that received it may be ahead of ours, and a sum that shrinks passes for a restart.
    applied: (seconds: number) => apply.observe({}, Math.max(0, seconds)),
  };
}
