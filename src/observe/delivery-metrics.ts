import { Counter, type Registry } from 'prom-client';
import type { Mode } from '../kernel/principal.ts';
import { LONG_SECONDS, SECONDS } from './buckets.ts';
import { createCounter } from './counter.ts';
import { createHistogram } from './histogram.ts';

export interface DeliveryMetrics {
  /** `reason`: a word such as `timeout`, or `http_5xx`, or `none`. */
  attempted(mode: Mode, outcome: string, reason: string, seconds: number): void;
  /** An event arrived by its first attempt, so long after it was recorded. */
  delivered(seconds: number): void;
  /** The last attempt of an event at an endpoint has failed. */
  givenUp(mode: Mode): void;
  /** Says what to ask at a scrape. */
  askOf(threads: { busySeconds(): Record<string, number> }): void;
}

export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const attempts = createCounter({
    name: 'waypost_delivery_attempts_total',
    help: 'Attempts at endpoints by mode, outcome and the reason of a failure.',
    labelNames: ['mode', 'outcome', 'reason'],
    registers,
  });
  const attempt = createHistogram({
    name: 'waypost_delivery_attempt_seconds',
    help: 'How long an attempt at an endpoint takes.',
    labelNames: [],
    buckets: SECONDS,
    registers,
  });
  const delivered = createHistogram({
    name: 'waypost_delivery_seconds',
    help: 'From the recording of an event to its arrival, where the first attempt succeeded; a replay counts with its age.',
    labelNames: [],
    buckets: LONG_SECONDS,
    registers,
  });
  const givenUp = createCounter({
    name: 'waypost_deliveries_given_up_total',
    help: 'Deliveries whose last attempt has failed.',
    labelNames: ['mode'],
    registers,
  });
  let busySeconds = (): Record<string, number> => ({});
  new Counter({
    name: 'waypost_endpoints_thread_busy_seconds_total',
    help: 'How long a thread that calls endpoints over TLS has worked; near 1 a second it holds up deliveries.',
    labelNames: ['thread'],
    registers,
    collect() {
      this.reset();
      for (const [thread, seconds] of Object.entries(busySeconds())) this.inc({ thread }, seconds);
    },
  });
  // A count that begins with its first failure would hide that one from every rate.
  for (const mode of ['live', 'test']) givenUp.inc({ mode }, 0);
  return {
    attempted(mode, outcome, reason, seconds) {
      attempts.inc({ mode, outcome, reason });
      attempt.observe({}, seconds);
    },
    // The database's clock may be ahead of ours, and a sum that shrinks passes for a restart.
    delivered: (seconds) => delivered.observe({}, Math.max(0, seconds)),
    givenUp: (mode) => givenUp.inc({ mode }),
    askOf(threads) {
      busySeconds = () => threads.busySeconds();
    },
  };
}
