import type { Owner } from '../kernel/principal.ts';
import type { ProviderTemplate } from '../provider/port.ts';
import type { Queryable } from '../store/database.ts';

/** Whose templates: those of one business account, as one account sees them in one mode. */
export interface TemplateOwner extends Owner {
  businessAccountId: string;
}

export interface TemplateRow {
  id: string;
  business_account_id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  parameter_format: 'positional' | 'named';
  components: unknown[];
  quality: string | null;
  updated_at: Date;
}

const COLUMNS = `id, business_account_id, name, language, status, category, parameter_format, components, quality,
  updated_at`;

const TEMPLATE_BY_NAME = `
  select ${COLUMNS} from template
  where account_id = $1 and mode = $2 and business_account_id = $3 and name = $4 order by language`;

/** A name in all of its languages. */
export function findTemplatesByName(store: Queryable, owner: TemplateOwner, name: string): Promise<TemplateRow[]> {
  return store.query<TemplateRow>(TEMPLATE_BY_NAME, [owner.accountId, owner.mode, owner.businessAccountId, name]);
}

const TEMPLATE_BY_ID = `select ${COLUMNS} from template where account_id = $1 and mode = $2 and id = $3`;

export async function findTemplate(
  store: Queryable,
  { accountId, mode }: Owner,
  id: string,
): Promise<TemplateRow | undefined> {
  return (await store.query<TemplateRow>(TEMPLATE_BY_ID, [accountId, mode, id]))[0];
}

const TEMPLATE_LIST = `
  select ${COLUMNS} from template
  where account_id = $1 and mode = $2 and ($3::text is null or name = $3) and ($4::text is null or language = $4)
    and ($5::text is null or status = $5) and ($6::uuid is null or id < $6) and business_account_id = any($8::text[])
  order by id desc limit $7`;

export interface TemplateFilter {
  /** Of these alone: what was read of one whose last channel was removed stays, in case it comes back. */
  businessAccountIds: readonly string[];
  name: string | null;
  language: string | null;
  status: string | null;
  before: string | null;
}

/** A page of an account's templates, newest first. */
export function listTemplateRows(
  store: Queryable,
  { accountId, mode }: Owner,
  { businessAccountIds, name, language, status, before }: TemplateFilter,
  limit: number,
): Promise<TemplateRow[]> {
  return store.query<TemplateRow>(TEMPLATE_LIST, [
    ...[accountId, mode, name, language, status, before, limit],
    businessAccountIds,
  ]);
}

/**
 * Whether nothing was learned of a template since a reading began: what came meanwhile is newer than the list that was read. A time that
 * lies in the future was written while the database's clock was ahead, and does not count.
 */
const unchangedSince = (time: string) => `not t.updated_at between ${time}::text::timestamptz and clock_timestamp()`;

const facts = (row: string) =>
  `(${row}.provider_template_id, ${row}.status, ${row}.category, ${row}.parameter_format, ${row}.quality)`;

/**
 * The provider signs the address of an example's picture, film or file anew for each answer, in its query: that is no change of the template.
 * The quotation marks of a text within a component are escaped here, so that no text can look like such an address.
 */
const unsigned = (row: string) =>
  `regexp_replace(${row}.components::text, '("header_handle": \\["[^"?]*)[?][^"]*', '\\1', 'g')`;

/** To the letter. The newest address of an example is kept too, because one that is weeks old leads nowhere. */
const differs = (row: string, other: string) =>
  `(${facts(row)} is distinct from ${facts(other)} or ${row}.components <> ${other}.components)`;

/** Of two that differ: whether the template has changed, or only the address of an example. */
const hasChanged = (row: string, other: string) =>
  `(${facts(row)} is distinct from ${facts(other)} or ${unsigned(row)} <> ${unsigned(other)})`;

/**
 * Writes what the provider lists, at most `$14` of it, and tells what was new and what has changed. A template that is as it was is not
 * written again. What is new or has changed gets the time at which its reading began, `$13`, so that of two readings that write it the
 * one that began later holds. One that has not changed keeps its time.
 */
const TEMPLATE_UPSERT = `
  with listed as (
    select * from unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
      $11::jsonb[], $12::text[])
    as t(id, provider_template_id, name, language, status, category, parameter_format, components, quality)
  )
  insert into template as t (account_id, mode, business_account_id, id, provider_template_id, name, language, status,
    category, parameter_format, components, quality, updated_at)
  select $1, $2, $3, id, provider_template_id, name, language, status, category, parameter_format, components, quality,
    $13::text::timestamptz
  from listed l
  left join lateral (
    select ${unchangedSince('$13')} and ${differs('t', 'l')} as differs from template t
    where t.account_id = $1 and t.mode = $2 and t.business_account_id = $3 and t.name = l.name and t.language = l.language
    offset 0) known on true
  where known.differs is not false
  order by name, language limit $14
  on conflict (account_id, mode, business_account_id, name, language) do update set
    provider_template_id = excluded.provider_template_id, status = excluded.status, category = excluded.category,
    parameter_format = excluded.parameter_format, components = excluded.components, quality = excluded.quality,
    updated_at = case when ${hasChanged('t', 'excluded')} then excluded.updated_at else t.updated_at end
  where ${unchangedSince('$13')} and ${differs('t', 'excluded')}
  returning ${COLUMNS}, (t.xmax = 0) as added, (t.updated_at = $13::text::timestamptz) as has_changed`;

/** Not `has_changed`: only the address of an example was written, which is no change. */
export type WrittenTemplate = TemplateRow & { added: boolean; has_changed: boolean };

export function upsertTemplates(
  tx: Queryable,
  owner: TemplateOwner,
  templates: readonly (ProviderTemplate & { newId: string })[],
  { begunAt, limit }: { begunAt: string; limit: number },
): Promise<WrittenTemplate[]> {
  return tx.query<WrittenTemplate>(TEMPLATE_UPSERT, [
    owner.accountId,
    owner.mode,
    owner.businessAccountId,
    templates.map(({ newId }) => newId),
    templates.map(({ id }) => id),
    templates.map(({ name }) => name),
    templates.map(({ language }) => language),
    templates.map(({ status }) => status),
    templates.map(({ category }) => category),
    templates.map(({ parameterFormat }) => parameterFormat),
    templates.map(({ components }) => JSON.stringify(components)),
    templates.map(({ quality }) => quality),
    begunAt,
    limit,
  ]);
}

/**
 * `$6` null: of all names; else of that name only. What was learned since the reading began, `$7`, stays. `not in` has only one plan, which
 * hashes what is kept (none of it is null). `not exists` was planned for few templates, and compared 6,000 with 6,000.
 */
const TEMPLATE_REMOVE_MISSING = `
  delete from template where ctid = any(array(
    select t.ctid from template t
    where t.account_id = $1 and t.mode = $2 and t.business_account_id = $3 and ($6::text is null or t.name = $6)
      and (t.name, t.language) not in (select * from unnest($4::text[], $5::text[]))
      and ${unchangedSince('$7')}
    order by t.name, t.language limit $8 for update))
  returning ${COLUMNS}`;

/** Removes what the provider does not list any more, at most `limit` of it. */
export function removeMissingTemplates(
  tx: Queryable,
  owner: TemplateOwner,
  kept: readonly ProviderTemplate[],
  { name, begunAt, limit }: { name: string | null; begunAt: string; limit: number },
): Promise<TemplateRow[]> {
  return tx.query<TemplateRow>(TEMPLATE_REMOVE_MISSING, [
    owner.accountId,
    owner.mode,
    owner.businessAccountId,
    kept.map(({ name }) => name),
    kept.map(({ language }) => language),
    name,
    begunAt,
    limit,
  ]);
}

const TEMPLATE_MISSES = `
  select exists(select from template t
    where t.account_id = $1 and t.mode = $2 and t.business_account_id = $3
      and (t.name, t.language) not in (select * from unnest($4::text[], $5::text[]))
      and ${unchangedSince('$6')}) as misses`;

/** Whether templates are known that the provider does not list; what was learned since the reading began does not count. */
export async function missesKnown(
  store: Queryable,
  owner: TemplateOwner,
  listed: readonly ProviderTemplate[],
  begunAt: string,
): Promise<boolean> {
  const rows = await store.query<{ misses: boolean }>(TEMPLATE_MISSES, [
    owner.accountId,
    owner.mode,
    owner.businessAccountId,
    listed.map(({ name }) => name),
    listed.map(({ language }) => language),
    begunAt,
  ]);
  return rows[0]?.misses === true;
}

/** What a notification tells of a template; null members tell nothing. */
export interface TemplateNews extends TemplateOwner {
  name: string;
  language: string | null;
  status: string | null;
  category: string | null;
  quality: string | null;
}

/** By the clock, like a reading: the transaction may have begun before a reading that lists what was before the news. */
const TEMPLATE_NEWS = `
  update template set status = coalesce($5, status), category = coalesce($6, category), quality = coalesce($7, quality),
    updated_at = clock_timestamp()
  where account_id = $1 and mode = $8 and business_account_id = $2 and name = $3
    and ($4::text is null or language = $4)
    and (coalesce($5, status), coalesce($6, category), coalesce($7, quality)) is distinct from (status, category, quality)
  returning ${COLUMNS}`;

/** Applies it to the template, if that is known; returns what has changed. */
export function applyTemplateNews(tx: Queryable, news: TemplateNews): Promise<TemplateRow[]> {
  const { accountId, mode, businessAccountId, name, language, status, category, quality } = news;
  const values = [accountId, businessAccountId, name, language, status, category, quality, mode];
  return tx.query<TemplateRow>(TEMPLATE_NEWS, values);
}
