import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { InFlight } from '../kernel/in-flight.ts';
import { msUntil } from '../kernel/ms-until.ts';
import { withinMs } from '../kernel/within-ms.ts';

/** A request that is still on its way would be refused. One whose caller is well is here by then, and its refusal is read. */
const ARRIVING_MS = 1_000;

/** Calls that are no sends take less. But a caller may read its answer as slowly as it likes. */
const CALLS_MS = 20_000;

/**
 * Ends the listening, and resolves when all connections are closed. Callers must not decide when that is: once no call is under way, and
 * after 20 s or at `untilMs` (a time of `performance.now()`) at the latest, all connections are closed, also those on which a request
 * is still arriving. These have a second in any case.
 */
export async function closeServer(app: FastifyInstance, calls: InFlight, untilMs: number): Promise<void> {
  const closed = app.close();
  const answered = withinMs(calls.idle(), Math.min(CALLS_MS, msUntil(untilMs)), () => undefined);
  const arrived = wait(ARRIVING_MS, undefined, { ref: false });
  void Promise.all([answered, arrived]).then(() => app.server.closeAllConnections());
  await closed;
}
