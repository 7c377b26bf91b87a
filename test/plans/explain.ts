import { Client } from 'pg';
import { connectionOptions } from '../../bench/fill/connection.ts';
import type { Connection, Database } from '../../src/store/database.ts';

/** A step of a plan, as PostgreSQL describes it. Names that differ only by their week or their number are made equal. */
export interface PlanNode {
  type: string;
  /** The table. A week of it has the name of the whole table. */
  table: string | undefined;
  /** The index. That of a week has the name of the whole table's index. */
  index: string | undefined;
  /** The columns of the index, in order. */
  columns: string[];
  /** What is looked up in the index. If rows are looked up by their place, the place. */
  condition: string | undefined;
  /** What is checked once a row has been read. */
  filter: string | undefined;
  /** The name that the statement gives the table, or to the part that is scanned. */
  alias: string | undefined;
  /** The comparisons by which both parts are joined, if a row is in the result only together with one of the other part. */
  joins: string[];
  /** Whether it is run by itself, so that its rows do not go on to the step that it stands under. */
  isApart: boolean;
  /** What else belongs to the step: an order, the change that it makes, or the name of its part. */
  detail: string | undefined;
  parts: PlanNode[];
}

export interface Explainer {
  /** The plan that is used for all values. */
  explain(sql: string): Promise<PlanNode>;
  /** How the names of last week's partitions end (see `fill.ts`). */
  lastWeek: string;
  close(): Promise<void>;
}

/** The settings of a gateway's connections. The driver's own settings are among them; they make no difference to a plan. */
const SESSION_SETTINGS = `select name, setting from pg_settings where source = 'session'`;
/** The parent of each week's table, and of each index of a week. */
const PARENTS = `
  select week.relname as name, parent.relname as parent from pg_inherits
  join pg_class week on week.oid = inhrelid join pg_class parent on parent.oid = inhparent`;
const COLUMNS = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_attribute a on a.attrelid = i.indexrelid group by c.relname`;
const LAST_WEEK = `select to_char((now() - interval '168 hours') at time zone 'UTC', 'IYYY"w"IW') as week`;

/** Plans statements as the gateway's own connections do. */
export async function createExplainer(database: Database, connection: Connection): Promise<Explainer> {
  const client = new Client(connectionOptions(connection));
  await client.connect();
  const settings = await database.query<{ name: string; setting: string }>(SESSION_SETTINGS);
  for (const { name, setting } of settings) await client.query('select set_config($1, $2, false)', [name, setting]);
  const { rows } = await client.query<{ name: string; parent: string }>(PARENTS);
  const parents = new Map(rows.map(({ name, parent }) => [name, parent]));
  const indexes = await client.query<{ name: string; columns: string[] }>(COLUMNS);
  const columns = new Map(indexes.rows.map((row) => [row.name, row.columns]));
  const [week] = (await client.query<{ week: string }>(LAST_WEEK)).rows;
  const ask = (await isBeforeSixteen(client)) ? askBeforeSixteen : askGenericPlan;
  return {
    lastWeek: week?.week ?? '',
    async explain(sql) {
      const plans = await ask(client, sql);
      return readNode(Reflect.get(Object(Array.isArray(plans) ? plans[0] : undefined), 'Plan'), { parents, columns });
    },
    close: () => client.end(),
  };
}

async function askGenericPlan(client: Client, sql: string): Promise<unknown> {
  return (await client.query(`explain (generic_plan, costs off, format json) ${sql}`)).rows[0]?.['QUERY PLAN'];
}

async function isBeforeSixteen(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ before: boolean }>(
    `select current_setting('server_version_num')::integer < 160000 as before`,
  );
  return rows[0]?.before === true;
}

/** These versions show a plan only with values. With nulls it would show that each week is left out, so no value may be null. */
async function askBeforeSixteen(client: Client, sql: string): Promise<unknown> {
  const parameters = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const nulls = Array.from({ length: parameters }, () => 'null').join(', ');
  await client.query('set plan_cache_mode = force_generic_plan; set enable_partition_pruning = off');
  await client.query(`prepare asked as ${sql}`);
  const call = `execute asked${nulls === '' ? '' : `(${nulls})`}`;
  const { rows } = await client.query(`explain (costs off, format json) ${call}`);
  await client.query('deallocate asked');
  return rows[0]?.['QUERY PLAN'];
}

interface Catalogue {
  parents: ReadonlyMap<string, string>;
  columns: ReadonlyMap<string, string[]>;
}

function readNode(raw: unknown, catalogue: Catalogue): PlanNode {
  const member = (name: string): unknown => Reflect.get(Object(raw), name);
  const text = (name: string) => {
    const value = member(name);
    if (value === undefined) return undefined;
    return foldAliases(Array.isArray(value) ? value.join(', ') : String(value));
  };
  const named = (name: string) => {
    const value = member(name);
    return typeof value === 'string' ? (catalogue.parents.get(value) ?? value) : undefined;
  };
  const inner: unknown = member('Plans') ?? [];
  const parts = Array.isArray(inner) ? inner.map((part) => readNode(part, catalogue)) : [];
  const backward = member('Scan Direction') === 'Backward' ? 'backward' : undefined;
  const detail = [backward, text('Operation'), text('Subplan Name'), text('Sort Key'), text('Group Key')].filter(
    Boolean,
  );
  return asIndexScan({
    type: String(member('Node Type')),
    table: named('Relation Name'),
    index: named('Index Name'),
    columns: catalogue.columns.get(String(member('Index Name'))) ?? [],
    condition: text('Index Cond') ?? text('TID Cond'),
    filter: text('Filter'),
    alias: text('Alias')?.replace(/_\d+$/, ''),
    joins:
      member('Join Type') === 'Inner'
        ? ['Hash Cond', 'Merge Cond', 'Join Filter'].flatMap((name) => text(name) ?? [])
        : [],
    isApart: member('Subplan Name') !== undefined,
    detail: detail.length === 0 ? undefined : detail.join('; '),
    parts: inOneOrder(withoutRepeats(parts)),
  });
}

/**
 * Whether rows are first gathered by their place, or need not be read at all, depends on the moment. What is read of the index does not.
 */
function asIndexScan(node: PlanNode): PlanNode {
  if (node.type === 'Index Only Scan') return { ...node, type: 'Index Scan' };
  const [first, ...others] = node.parts;
  if (node.type !== 'Bitmap Heap Scan' || first?.type !== 'Bitmap Index Scan' || others.length > 0) return node;
  const { index, columns, condition } = first;
  return { ...node, type: 'Index Scan', index, columns, condition, parts: first.parts };
}

/** PostgreSQL numbers the names of the weeks, and of some parts. The numbers are removed. */
function foldAliases(text: string): string {
  return text
    .replaceAll(/\b([a-z_]+?)_\d+\./g, '$1.')
    .replaceAll(/\b(expr|hashed SubPlan|SubPlan|InitPlan) \d+/g, '$1');
}

/** The weeks of a table are read in the same way, so that is shown once. If they differ, both ways are shown. */
function withoutRepeats(parts: PlanNode[]): PlanNode[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    const key = JSON.stringify(part);
    const isNew = part.table === undefined || !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** If several checks of a row cost about the same, their order depends on the moment. */
function inOneOrder(parts: PlanNode[]): PlanNode[] {
  const isAsked = ({ detail = '' }: PlanNode) => detail.split('; ').includes('SubPlan');
  const asked = parts.filter(isAsked).toSorted((a, b) => (showPlan(a) < showPlan(b) ? -1 : 1));
  return [...parts.filter((part) => !isAsked(part)), ...asked];
}

/** The plan as it is kept in a file: a line for each step, indented. */
export function showPlan(node: PlanNode, depth = 1): string {
  const { type, table, index, condition, filter, detail, parts } = node;
  const line = [
    type,
    index === undefined ? '' : ` by ${index}`,
    table === undefined ? '' : ` on ${table}`,
    detail === undefined ? '' : ` [${detail}]`,
    condition === undefined ? '' : ` ${condition}`,
    filter === undefined ? '' : ` FILTER ${filter}`,
  ].join('');
  return ['  '.repeat(depth) + line, ...parts.map((part) => showPlan(part, depth + 1))].join('\n');
}
