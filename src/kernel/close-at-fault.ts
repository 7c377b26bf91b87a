import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/**
 * Has connections closed on which TLS finds a fault after they were made. Node only reports the fault and leaves the connection open:
 * whatever else comes on it is kept in memory and never read, and undici waits for the close.
 */
export function closeAtFault(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...made) => {
      made[1]?.once('error', close);
      callback(...made);
    });
}

function close(this: Socket): void {
  this.destroy();
}
