import type { Database, Transaction } from '../../src/store/database.ts';

/** A transaction that may do nothing for as long as its test needs, such as one that holds a lock. The server ends any other after 10 s. */
export function restingTransaction<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await tx.query('set local idle_in_transaction_session_timeout to 0');
    return work(tx);
  });
}
