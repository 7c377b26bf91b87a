import type { Client } from 'pg';
import type { Filling } from './rows.ts';

/** A week of a table, while it is filled apart from the others. */
export interface Week {
  filling: Filling;
  /** The partition, named and bounded as `partitions_make` would. */
  name: string;
  fromMs: number;
  untilMs: number;
}

const WEEK_MS = 7 * 86_400_000;
/** The first Monday after 1970 began, in UTC. */
const MONDAY_MS = 4 * 86_400_000;

/** The weeks from the one of `fromMs` to the one of `untilMs`. */
export function weeksOf(filling: Filling, fromMs: number, untilMs: number): Week[] {
  const weeks: Week[] = [];
  const firstMs = Math.floor((fromMs - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS;
  for (let startMs = firstMs; startMs <= untilMs; startMs += WEEK_MS)
    weeks.push({
      filling,
      name: `${filling.parent}_${isoWeek(startMs)}`,
      fromMs: startMs,
      untilMs: startMs + WEEK_MS,
    });
  return weeks;
}

/** The name of the week that begins on a Monday, such as 2026w47. Its year is that of its Thursday. */
function isoWeek(mondayMs: number): string {
  const thursday = new Date(mondayMs + 3 * 86_400_000);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / WEEK_MS) + 1;
  return `${year}w${String(week).padStart(2, '0')}`;
}

/**
 * Takes the week's partition out of its table, if there is one, and makes an empty table in its place, which is filled much more quickly.
 */
export async function openWeek(
  client: Client,
  { filling: { parent, key }, name, fromMs, untilMs }: Week,
): Promise<void> {
  const { rows } = await client.query('select to_regclass($1) as there', [name]);
  if (rows[0]?.there !== null)
    await client.query(`alter table ${parent} detach partition ${name}; alter table ${name} set schema fill`);
  // The same setting as `partitions_make` gives a partition.
  const room = parent === 'message' ? 'with (fillfactor = 60)' : '';
  await client.query(`create table ${name} (like ${parent} including defaults including constraints) ${room}`);
  // With this constraint PostgreSQL need not read the whole partition when it attaches it.
  const bounds = `${key} >= ${boundOf(fromMs)} and ${key} < ${boundOf(untilMs)}`;
  await client.query(`alter table ${name} add constraint fill_bounds check (${bounds})`);
}

const INDEXES = `
  select format('alter table %I add primary key (%s)', $2::text,
    (select string_agg(quote_ident(attname), ', ' order by place) from unnest(indkey::int2[]) with ordinality as k(attnum, place)
      join pg_attribute a on a.attrelid = indrelid and a.attnum = k.attnum)) as sql
  from pg_index where indrelid = to_regclass($1) and indisprimary
  union all
  select regexp_replace(pg_get_indexdef(indexrelid), '^CREATE INDEX (\\w+) ON ONLY \\S+ ', format('create index on %I ', $2::text))
  from pg_index where indrelid = to_regclass($1) and not indisprimary`;

/** Fills the week and makes its indexes, in one transaction: then PostgreSQL need not log the rows of the new table. */
export async function fillWeek(client: Client, week: Week, values: unknown[]): Promise<number> {
  const { filling, name } = week;
  await client.query('begin');
  await client.query(`truncate ${name}`);
  const { rowCount } = await client.query(filling.insertInto(name), values);
  const { rows } = await client.query<{ sql: string }>(INDEXES, [filling.parent, name]);
  for (const { sql } of rows) await client.query(sql);
  await client.query('commit');
  // Otherwise the gateway's database would do this later, during a measurement.
  await client.query(`vacuum (freeze, analyze) ${name}`);
  return rowCount ?? 0;
}

/** Makes the week a part of its table again, with the rows that its partition held before. */
export async function closeWeek(client: Client, { filling: { parent }, name, fromMs, untilMs }: Week): Promise<void> {
  const { rows } = await client.query('select to_regclass($1) as there', [`fill.${name}`]);
  await client.query(
    `alter table ${parent} attach partition ${name} for values from (${boundOf(fromMs)}) to (${boundOf(untilMs)});
     alter table ${name} drop constraint fill_bounds`,
  );
  if (rows[0]?.there === null) return;
  await client.query(`insert into ${parent} select * from fill.${name}`);
}

/** The smallest UUID of a time. Partitions are bounded by such ids. */
function boundOf(timeMs: number): string {
  const head = timeMs.toString(16).padStart(12, '0');
  return `'${head.slice(0, 8)}-${head.slice(8)}-0000-0000-000000000000'`;
}
