import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { KeyUses } from './accounts/key-uses.ts';
import type { Attempts } from './endpoints/deliver/attempt.ts';
import type { Deliveries } from './endpoints/deliver/deliver.ts';
import { closeServer } from './http/close-server.ts';
import type { RunningRounds } from './jobs/start-rounds.ts';
import type { InFlight } from './kernel/in-flight.ts';
import { msUntil } from './kernel/ms-until.ts';
import { unlessUnavailable } from './kernel/store-unavailable.ts';
import type { Node } from './nodes/node.ts';
import type { Processor } from './notifications/processor.ts';
import type { Traces } from './observe/traces.ts';
import type { NotedMinutes } from './statistics/mark.ts';
import { waitAtStop } from './wait-at-stop.ts';

/** How long attempts at customers' endpoints may go on. Those that are unfinished then become due again. */
const ATTEMPTS_MS = 5_000;
/**
 * How much of the time is kept for giving back unfinished work, and again as much for giving back the lease. Each is at most a quarter of
 * the time.
 */
const GIVING_BACK_MS = 1_000;

interface ClosingParts {
  log: Logger;
  processor: Processor;
  deliveries: Deliveries | undefined;
  attempts: Attempts;
  runningRounds: RunningRounds | undefined;
  provider: { close(): Promise<void> };
  keyUses: KeyUses;
  notedMinutes: NotedMinutes;
  internalServer: FastifyInstance;
  calls: InFlight;
  node: Node;
  traces: Traces | undefined;
}

/**
 * Ends the parts that work by themselves, once all sends are over. If the database, or one connection to it, does not answer, each of these
 * could wait for longer than a whole stop may take. So a part that has not ended by `untilMs`, a time of `performance.now()`, is left as it
 * is. Nothing is lost by that: its work is in the database, for other nodes and for the next start.
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
  // Closed together: a round asks the provider one question after another, and each of them may take all the time that it has.
  await Promise.all([end('rounds', parts.runningRounds?.stop()), end('provider', parts.provider.close())]);
  await end('key_uses', unlessUnavailable(parts.keyUses.flush()));
  await end('minutes', unlessUnavailable(parts.notedMinutes.flush()));
  await end('internal_listener', closeServer(parts.internalServer, parts.calls, untilMs - givingBackMs));
  // If the database cannot be reached, the lease ends by itself, and this node leaves nothing that others would have to settle.
  await end('lease', unlessUnavailable(parts.node.leave()), untilMs);
  await end('traces', parts.traces?.close(), untilMs);
}
