import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/**
 * Has a connection closed on which TLS finds a fault after it was made. Node tells of it and leaves it open: whatever else comes
 * is kept in memory and never read, and undici waits for the close.
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
