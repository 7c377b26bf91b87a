import type { Logger } from 'pino';
import type { Pacing } from '../channels/pacing.ts';
import type { CarriedDelivery } from '../endpoints/deliver/deliver.ts';
import type { AnsweredRequest } from '../http/answered.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import type { Ledger } from '../messages/commit/ledger.ts';
import type { Sends } from '../messages/send/send.ts';
import type { AppliedBatch } from '../notifications/apply.ts';
import type { Intake } from '../notifications/receive.ts';
import type { Loops } from '../observe/loops.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import type { SharedCommit } from '../observe/send-metrics.ts';
import type { Traces } from '../observe/traces.ts';
import type { Provider } from '../provider/port.ts';
import type { Database } from '../store/database.ts';
import { watchAttempts } from './attempts.ts';
import { watchBatches } from './batches.ts';
import { watchCalls } from './calls.ts';
import { watchEvents } from './events.ts';
import { watchIntake } from './intake.ts';
import { watchLedger } from './ledger.ts';
import { watchPacing } from './pacing.ts';
import { watchProvider } from './provider.ts';
import { createQueueLook } from './queues.ts';
import { createRunningSends } from './running-sends.ts';
import { watchSends } from './sends.ts';

/**
 * All that watches the slices, to be put around their ports or handed to them. They do their work as if it were not
 * there.
 */
export interface Watch {
  metrics: Metrics;
  database: Database;
  traces: Traces | undefined;
  loop: Loops['watch'];
  sends(sends: Sends): Sends;
  pacing(pacing: Pacing): Pacing;
  ledger(ledger: Ledger): Ledger;
  provider(provider: Provider): Provider;
  intake(intake: Intake): Intake;
  onCommit(what: SharedCommit, items: number): void;
  onBatch(batch: AppliedBatch, durationMs: number): void;
  onAttempt(carried: CarriedDelivery): void;
  onAnswered(answered: AnsweredRequest): void;
}

interface Deps {
  database: Database;
  log: Logger;
  traces: Traces | undefined;
  version: string;
  accepting(): boolean;
  limits(): KeepLimits;
}

export function createWatch({ database, log, traces, version, accepting, limits }: Deps): Watch {
  const metrics = createMetrics();
  metrics.tellProcess({ version, node: process.version }, accepting);
  metrics.store.askOf({ connections: database.connections, queues: createQueueLook(database, limits) });
  const running = createRunningSends();
  const sending = { metrics: metrics.sends, traces, running };
  return {
    metrics,
    traces,
    database: watchEvents(database, metrics.callback, traces),
    loop: metrics.loops.watch,
    sends: (sends) => watchSends(sends, sending),
    pacing: (pacing) => watchPacing(pacing, metrics.sends),
    ledger: (ledger) => watchLedger(ledger, sending),
    provider: (provider) => watchProvider(provider, sending),
    intake: (intake) => watchIntake(intake, metrics.callback),
    onCommit: metrics.sends.committedTogether,
    onBatch: watchBatches(metrics.callback, log),
    onAttempt: watchAttempts(metrics.deliveries, log),
    onAnswered: watchCalls(metrics.http, log, running.takeCounts),
  };
}
