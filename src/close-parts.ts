import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { KeyUses } from './accounts/key-uses.ts';
import type { Attempts } from './endpoints/deliver/attempt.ts';
import type { Deliveries } from './endpoints/deliver/deliver.ts';
import { closeServer } from './http/close-server.ts';
import type { Sweeps } from './jobs/sweeps.ts';
import type { InFlight } from './kernel/in-flight.ts';
import { msUntil } from './kernel/ms-until.ts';
import { unlessUnavailable } from './kernel/store-unavailable.ts';
import type { Node } from './nodes/node.ts';
import type { Processor } from './notifications/processor.ts';
import type { Traces } from './observe/traces.ts';
import type { NotedMinutes } from './statistics/mark.ts';
import { waitAtStop } from './wait-at-stop.ts';

/** How long attempts at customers' endpoints may go on. Those unfinished then are due again. */
const ATTEMPTS_MS = 5_000;
/** Kept of the time for giving back those that are unfinished, and as much again for giving back the lease; a quarter at the most. */
const GIVING_BACK_MS = 1_000;

interface ClosingParts {
  log: Logger;
  processor: Processor;
  deliveries: Deliveries | undefined;
  attempts: Attempts;
  sweeps: Sweeps | undefined;
  provider: { close(): Promise<void> };
  keyUses: KeyUses;
  notedMinutes: NotedMinutes;
  internalServer: FastifyInstance;
  calls: InFlight;
  node: Node;
  traces: Traces | undefined;
}

/**
 * Ends what works by itself, once all sends are over. A database that says nothing, or one connection to it, would keep each of
 * these waiting for longer than a whole stop may take; so what has not ended by `untilMs`, a time of `performance.now()`, is left
 * as it is. Nothing is lost by that: what they work on is in the database, for other nodes and the next start.
 */
export async function closeParts(parts: ClosingParts, untilMs: number): Promise<void> {
  const givingBackMs = Math.min(GIVING_BACK_MS, msUntil(untilMs) / 4);
  const end = (what: string, work: Promise<unknown> | undefined, byMs = untilMs - givingBackMs) =>
    waitAtStop(parts.log, what, work, byMs);
  const attemptsMs = Math.min(ATTEMPTS_MS, msUntil(untilMs - 2 * givingBackMs));
  await Promise.all([
    end('notifications', parts.processor.stop()),
    end('deliveries', parts.deliveries?.stop(attemptsMs)),
  ]);
  await end('attempts', parts.attempts.close());
  // Together: a round asks the provider one question after another, each of which may take all of its time.
  await Promise.all([end('rounds', parts.sweeps?.stop()), end('provider', parts.provider.close())]);
  await end('key_uses', unlessUnavailable(parts.keyUses.flush()));
  await end('minutes', unlessUnavailable(parts.notedMinutes.flush()));
  await end('internal_listener', closeServer(parts.internalServer, parts.calls, untilMs - givingBackMs));
  // Without the store the lease ends by itself, and nothing of this node is left to settle.
  await end('lease', unlessUnavailable(parts.node.leave()), untilMs);
  await end('traces', parts.traces?.close(), untilMs);
}
