import type { Server } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** If a timer has brought us here, this turn of the event loop accepts a connection at its end, and the next turn reads the call. */
const QUIET_TURNS = 3;
/** As many connections as the system keeps for a listener of Node's: who comes all the time must not hold this up. */
const BACKLOG = 511;

/**
 * Resolves when the calls are read that came while the process was busy. The system has taken their connections already, and would
 * reset them when the listener closes, so that their callers could not know whether they were heard. Each turn of the event loop
 * accepts one connection.
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
