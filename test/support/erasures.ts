import { eraseRound } from '../../src/erasure/erase-round.ts';
import type { Database } from '../../src/store/database.ts';
import { until } from './until.ts';

/** Lets the second walk of each erasure come at once, although what is under way may still be written. */
export async function letErasuresSettle(database: Database): Promise<void> {
  await database.query('update erasure set due_at = now() where due_at > now()');
}

/** Lets all erasures of persons go on at once, and waits for their end. */
export async function endErasures(database: Database, settledMs: number): Promise<void> {
  await until(async () => {
    await letErasuresSettle(database);
    await eraseRound(database, settledMs);
    return (await database.query('select 1 from erasure')).length === 0;
  });
}
