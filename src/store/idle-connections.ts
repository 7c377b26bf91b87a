import { Client, type Pool, type PoolClient } from 'pg';

export interface IdleConnections {
  /** Closes those that have been idle since before that time, which is one of `performance.now()`. */
  closeIdleSince(beforeMs: number): void;
}

/**
 * Watches which connections of the pool are idle. When the server's machine vanishes, or a network forgets the connections to it, a
 * statement finds that out by waiting in vain. Connections that were idle all that time are mostly just as dead, and each of them
 * would cost another statement as long a wait. Those that were used meanwhile are not dead.
 */
export function watchIdleConnections(pool: Pool): IdleConnections {
  const idleFromMs = new Map<PoolClient, number>();
  pool.on('release', (broken, client) => {
    if (!broken) idleFromMs.set(client, performance.now());
  });
  pool.on('acquire', (client) => idleFromMs.delete(client));
  pool.on('remove', (client) => idleFromMs.delete(client));
  return {
    closeIdleSince(beforeMs) {
      for (const [client, fromMs] of idleFromMs) {
        if (fromMs >= beforeMs) continue;
        idleFromMs.delete(client);
        close(client);
      }
    },
  };
}

/** Closes a connection as a broken one: from this moment on the pool lends it to nobody, and `onError` of the database is told. */
function close(client: PoolClient): void {
  client.emit('error', new Error('It was idle while the database did not answer on another connection'));
  // The pool says goodbye and waits until the server closes it, which one that is gone does not.
  if (client instanceof Client) client.connection.stream.destroy();
}
