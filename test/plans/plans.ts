import type { TestDatabase } from '../support/database.ts';
import { createExplainer, type Explainer, type PlanNode } from './explain.ts';
import { drainTables, fillTables, makeWeeks } from './fill.ts';
import { type Recorded, recordStatements } from './record.ts';
import { SAMPLE_WEEK } from './variants.ts';

/** A statement with its plans in three states of the database. */
export interface Planned extends Recorded {
  /** The plan on a platform that has just been set up. */
  fresh: PlanNode;
  /** The plan with some weeks behind, and an empty one ahead. */
  full: PlanNode;
  /** The plan after a quiet time, when nothing waits and all rows that only pass have expired. */
  drained: PlanNode;
}

/**
 * Plans every statement of the stores three times: before the tables are filled, when they are full, and when the tables through which rows
 * pass are empty.
 */
export async function planStatements(testDatabase: TestDatabase): Promise<Planned[]> {
  const { database, connection } = testDatabase;
  const statements = await recordStatements();
  const explainNow = async () => {
    const explainer = await createExplainer(database, connection);
    const plans = await explainAll(explainer, statements);
    await explainer.close();
    return plans;
  };
  await makeWeeks(database);
  const fresh = await explainNow();
  await fillTables(testDatabase);
  const full = await explainNow();
  await drainTables(database);
  const drained = await explainNow();
  return statements.flatMap((statement, place) => {
    const [first, second, third] = [fresh[place], full[place], drained[place]];
    if (first === undefined || second === undefined || third === undefined) return [];
    return [{ ...statement, fresh: first, full: second, drained: third }];
  });
}

async function explainAll(explainer: Explainer, statements: readonly Recorded[]): Promise<PlanNode[]> {
  const plans: PlanNode[] = [];
  for (const { store, call, sql } of statements) {
    const named = sql.replaceAll(`_${SAMPLE_WEEK}`, `_${explainer.lastWeek}`);
    plans.push(
      await explainer.explain(named).catch((error: unknown) => {
        throw new Error(`${store} ${call} cannot be planned: ${sql}`, { cause: error });
      }),
    );
  }
  return plans;
}
