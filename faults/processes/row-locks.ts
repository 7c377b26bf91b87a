import type { Database } from '../../src/store/database.ts';
import { restingTransaction } from '../../test/support/resting-transaction.ts';
import type { Draw } from '../random.ts';

/** What gateways write in the course of a run, and what the rows that they write refer to. */
const TABLES = [
  'account',
  'api_key',
  'channel',
  'channel_pace',
  'customer_window',
  'delivery',
  'endpoint',
  'event_sequence',
  'idempotency',
  'message',
  'node',
  'notification',
  'notification_pack',
  'request',
];
const ROWS_MAX = 3;

/** Rows that somebody else keeps locked, such as an operator who left a transaction open in a terminal. */
export interface RowLocks {
  /** Locks some rows of some table. Returns when they are locked, if the database is there. */
  hold(): Promise<void>;
  /** Ends the lock that has been held for longest. */
  release(): void;
  releaseAll(): void;
}

export function createRowLocks(database: Database, draw: Draw): RowLocks {
  const releases: (() => void)[] = [];
  const release = () => releases.shift()?.();
  return {
    async hold() {
      const locked = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      releases.push(released.resolve);
      // Rows that a gateway has locked at this moment are passed over: a deadlock would end our own transaction.
      const rows = `select from ${draw.pick(TABLES)} order by random() limit ${draw.between(1, ROWS_MAX)} for update skip locked`;
      const held = restingTransaction(database, async (tx) => {
        await tx.query(rows);
        locked.resolve();
        await released.promise;
      });
      // The database is away by another fault, which has ended the lock too.
      held.catch(() => locked.resolve());
      await locked.promise;
    },
    release,
    releaseAll() {
      while (releases.length > 0) release();
    },
  };
}
