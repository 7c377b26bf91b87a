import type { Server } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** Where a timer has brought us here, the turn accepts a connection at its end, and the next one reads the call. */
const QUIET_TURNS = 3;
/** As many connections as the system keeps for a listener of Node's: who comes all the time must not hold this up. */
const BACKLOG = 511;

/**
 * Resolves when the calls are read that came while the process was busy. The system has taken their connections already, and
 * would reset them with the listener: their callers could not know whether they were heard. A turn accepts one connection.
 */
export async function readUnreadCalls(listener: Server): Promise<void> {
  let quiet = 0;
  const onConnection = () => {
    quiet = 0;
  };
  listener.on('connection', onConnection);
  for (let turns = 0; quiet < QUIET_TURNS && turns < BACKLOG; turns++) {
    quiet++;
    await turn();
  }
  listener.off('connection', onConnection);
}
