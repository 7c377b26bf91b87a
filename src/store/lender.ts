import type { Pool, PoolClient } from 'pg';
import { createConnectGate } from './connect-gate.ts';

/** What the driver's pool says where all connections are lent, although nobody has tried to connect. */
const ALL_LENT = 'timeout exceeded when trying to connect';

export interface Lender {
  /** Throws what the server, or the time limit, says. */
  lend(): Promise<PoolClient>;
  /** To be called when one was released. */
  released(): void;
  /** How many wait for one that is open, beside those whom the pool knows. */
  waiting(): number;
}

/**
 * Lends the pool's connections. A server may give no new connection while the open ones work well: it has given as many as it may, or
 * its part that takes new ones hangs. Then a caller waits for an open one, for `waitMs` at the most, as it does where all are lent.
 */
export function createLender(pool: Pool, connectionsMax: number, waitMs: number): Lender {
  const gate = createConnectGate();
  const open = new Set<PoolClient>();
  const waiting = new Set<() => void>();
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => {
    open.delete(client);
    if (open.size === 0) for (const wake of waiting) wake();
  });

  // The gate is for new connections only: who gets one that is open, or waits for one, does not bother the server.
  const take = () =>
    pool.idleCount > 0 || pool.totalCount >= connectionsMax ? pool.connect() : gate(() => pool.connect());

  /** False: nothing was released in time. */
  function untilReleased(limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (released: boolean) => {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve(released);
      };
      const wake = () => end(true);
      const timer = setTimeout(() => end(false), limitMs);
      waiting.add(wake);
    });
  }

  const inWords = (error: unknown) =>
    error instanceof Error && error.message === ALL_LENT
      ? new Error(`None of the ${connectionsMax} connections has become free within ${waitMs} ms`)
      : error;

  return {
    async lend() {
      const untilMs = performance.now() + waitMs;
      for (;;) {
        try {
          return await take();
        } catch (error) {
          if (pool.idleCount > 0) continue;
          // The try to get a new one may have taken all of the time, and Node warns of a timer below 0.
          const leftMs = Math.max(0, untilMs - performance.now());
          if (open.size === 0 || !(await untilReleased(leftMs))) throw inWords(error);
        }
      }
    },
    released() {
      const [wake] = waiting;
      wake?.();
    },
    waiting: () => waiting.size,
  };
}
