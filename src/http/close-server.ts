import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { InFlight } from '../kernel/in-flight.ts';

/** A request that is still on its way would be refused. One whose caller is well is here by then, and its refusal is read. */
const ARRIVING_MS = 1_000;

/**
 * Ends the listening, and resolves when all connections are closed. Callers must not decide when that is: as soon as no call is
 * under way, who has not finished a request is hung up on.
 */
export async function closeServer(app: FastifyInstance, calls: InFlight): Promise<void> {
  const closed = app.close();
  void Promise.all([calls.idle(), wait(ARRIVING_MS, undefined, { ref: false })]).then(() =>
    app.server.closeAllConnections(),
  );
  await closed;
}
