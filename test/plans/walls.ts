import type { Database } from '../../src/store/database.ts';
import type { PlanNode } from './explain.ts';
import type { Planned } from './plans.ts';

/** The columns that separate an account's rows from those of others, and what a test key may see from the rest. */
export type Wall = 'account_id' | 'mode';

const TABLES_WITH = `
  select c.relname as name from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = $1 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;

/** Every table that has the column once all migrations are applied. */
export async function findTablesWith(database: Database, wall: Wall): Promise<Set<string>> {
  const rows = await database.query<{ name: string }>(TABLES_WITH, [wall]);
  return new Set(rows.map(({ name }) => name));
}

/**
 * The tables among these that a statement reads somewhere without comparing the wall. It looks in the plans, because there each reading of
 * a table is a step of its own, with everything that its rows are compared with, however the text was put together.
 */
export function findUnwalled({ fresh, full }: Planned, wall: Wall, tables: ReadonlySet<string>): string[] {
  const found = [fresh, full].flatMap((plan) => unwalledIn(plan, [], wall));
  return [...new Set(found)].filter((table) => tables.has(table)).sort();
}

/** `around`: the steps above the node, the nearest first. */
function unwalledIn(node: PlanNode, around: readonly PlanNode[], wall: Wall): string[] {
  const { table, parts } = node;
  const own = table !== undefined && isRead(node) && !isWalled(node, around, wall) ? [table] : [];
  return [...own, ...parts.flatMap((part) => unwalledIn(part, [node, ...around], wall))];
}

/** Rows that are changed were read by the step below. Rows that are looked up by their place were found by another reading. */
function isRead({ type, condition = '' }: PlanNode): boolean {
  return type !== 'ModifyTable' && !(type === 'Tid Scan' && condition.startsWith('(ctid = '));
}

/** By a comparison of its own, by one that all its rows must pass later, or by an inner join. */
function isWalled(node: PlanNode, around: readonly PlanNode[], wall: Wall): boolean {
  if (compares(node, wall)) return true;
  let [inner, isAlone] = [node, true];
  for (const outer of around) {
    if (inner.isApart) return false;
    isAlone &&= PASSES_ON.includes(outer.type);
    if (isAlone && compares(outer, wall)) return true;
    if (areEqual(outer.joins, [`${node.alias}.${wall}`])) return true;
    inner = outer;
  }
  return false;
}

/** Steps that pass on the rows of the steps below them, and no others. */
const PASSES_ON = [
  'Append',
  'Merge Append',
  'Limit',
  'LockRows',
  'Sort',
  'Incremental Sort',
  'Result',
  'Subquery Scan',
];

function compares({ type, alias, condition, filter, parts }: PlanNode, wall: Wall): boolean {
  if (areEqual([condition, filter], [wall, `(${wall})::text`, `${alias}.${wall}`])) return true;
  const bitmaps = parts.filter((part) => part.type.startsWith('Bitmap'));
  if (type === 'BitmapOr') return bitmaps.every((part) => compares(part, wall));
  return type.startsWith('Bitmap') && bitmaps.some((part) => compares(part, wall));
}

/** Whether the column, under one of its names, must be equal to something. */
function areEqual(conditions: readonly (string | undefined)[], names: readonly string[]): boolean {
  const comparisons = conditions.flatMap(comparisonsOf);
  return names.some((name) =>
    comparisons.some((comparison) => comparison.startsWith(`(${name} = `) || comparison.endsWith(` = ${name})`)),
  );
}

/** Each of the comparisons that a row must pass: `((a) AND (b))` has two, `((a) OR (b))` is one. */
function comparisonsOf(text: string | undefined): string[] {
  if (text === undefined) return [];
  const comparisons: string[] = [];
  let depth = 0;
  let from = 1;
  for (let place = 0; place < text.length; place++) {
    if (text[place] === '(') depth += 1;
    if (text[place] === ')') depth -= 1;
    if (depth !== 1 || !text.startsWith(' AND ', place)) continue;
    comparisons.push(text.slice(from, place));
    from = place + ' AND '.length;
  }
  return comparisons.length === 0 ? [text] : [...comparisons, text.slice(from, -1)];
}
