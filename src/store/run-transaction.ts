import type { Transaction, TransactionLimits } from './database.ts';
import { prepared, type Statement } from './prepared.ts';
import { noteRolledBack } from './rolled-back.ts';
import { ANSWER_GRACE_MS, type Session } from './session.ts';

/** Runs `work` in one transaction; rolls back if it throws. */
export async function runTransaction<T>(
  session: Session,
  work: (tx: Transaction) => Promise<T>,
  limits: TransactionLimits | undefined,
): Promise<T> {
  await session.runInside({ text: beginText(limits) });
  let open = true;
  const run = <Row>(statement: Statement): Promise<Row[]> => {
    if (!open) throw new Error('A transaction was used after its end');
    return session.runInside(statement, limits && limits.statementTimeoutMs + ANSWER_GRACE_MS);
  };
  try {
    const result = await work({
      query: async (sql, values) => run(prepared(sql, values)),
      runScript: async (sql) => {
        await run({ text: sql });
      },
    });
    open = false;
    await session.commit();
    return result;
  } catch (error) {
    // If it is still open, `work` threw and the commit was never sent. It is marked as closed before the rollback: a statement that is sent
    // after the rollback would stay in effect.
    const uncommitted = open;
    open = false;
    if (uncommitted) await rollBack(session, error);
    throw error;
  }
}

function beginText(limits: TransactionLimits | undefined): string {
  return limits === undefined
    ? 'begin'
    : `begin; set local statement_timeout to ${Math.ceil(limits.statementTimeoutMs)}`;
}

async function rollBack(session: Session, error: unknown): Promise<void> {
  noteRolledBack(error);
  // A rollback that fails needs no report of its own: then the connection is dropped, and the server rolls back by itself.
  if (session.usable) await session.runInside({ text: 'rollback' }).catch(() => undefined);
}
