import type { TestDatabase } from '../support/database.ts';
import { createExplainer, type Explainer, type PlanNode } from './explain.ts';
import { fillTables, makeWeeks } from './fill.ts';
import { type Recorded, recordStatements } from './record.ts';
import { SAMPLE_WEEK } from './variants.ts';

/** A statement with the plans that are kept for it. */
export interface Planned extends Recorded {
  /** On a platform that was set up a moment ago. */
  fresh: PlanNode;
  /** On one with some weeks behind it, and an empty one ahead. */
  full: PlanNode;
}

/** Plans every statement of the stores twice: before the tables are filled, and after it. */
export async function planStatements(testDatabase: TestDatabase): Promise<Planned[]> {
  const { database, connection } = testDatabase;
  const statements = await recordStatements();
  await makeWeeks(database);
  const before = await createExplainer(database, connection);
  const fresh = await explainAll(before, statements);
  await before.close();
  await fillTables(testDatabase);
  const after = await createExplainer(database, connection);
  const full = await explainAll(after, statements);
  await after.close();
  return statements.flatMap((statement, place) => {
    const [first, second] = [fresh[place], full[place]];
    return first === undefined || second === undefined ? [] : [{ ...statement, fresh: first, full: second }];
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
