import type { Mode } from '../kernel/principal.ts';
import type { ProviderTemplate } from '../provider/port.ts';
import type { Queryable } from '../store/database.ts';

/** Whose templates: those of one business account, as one account sees them in one mode. */
export interface TemplateOwner {
  accountId: string;
  mode: Mode;
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
  accountId: string,
  mode: Mode,
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
  accountId: string,
  mode: Mode,
  { businessAccountIds, name, language, status, before }: TemplateFilter,
  limit: number,
): Promise<TemplateRow[]> {
  return store.query<TemplateRow>(TEMPLATE_LIST, [
    ...[accountId, mode, name, language, status, before, limit],
    businessAccountIds,
  ]);
}

const DATABASE_TIME = 'select clock_timestamp()::text as at';

/** By the database's clock, which all nodes share. As a text, which keeps the microseconds. */
export async function readDatabaseTime(store: Queryable): Promise<string> {
  const [row] = await store.query<{ at: string }>(DATABASE_TIME);
  if (row === undefined) throw new Error('The database told no time');
  return row.at;
}

/**
 * Holds of a template of which nothing was learned since a reading began: what came meanwhile is newer than its list. A time
 * that is still to come was written while the database's clock was ahead, and holds up nothing.
 */
const unchangedSince = (time: string) => `not t.updated_at between ${time}::text::timestamptz and clock_timestamp()`;

/**
 * Writes what the provider lists, and tells what was new and what has changed. A template that is as it was is not
 * written again. What is written is as old as the beginning of its reading, `$13`, so that of two the later one holds.
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
  from listed order by name, language
  on conflict (account_id, mode, business_account_id, name, language) do update set
    provider_template_id = excluded.provider_template_id, status = excluded.status, category = excluded.category,
    parameter_format = excluded.parameter_format, components = excluded.components, quality = excluded.quality,
    updated_at = excluded.updated_at
  where ${unchangedSince('$13')}
    and (t.provider_template_id, t.status, t.category, t.parameter_format, t.components, t.quality) is distinct from
    (excluded.provider_template_id, excluded.status, excluded.category, excluded.parameter_format,
     excluded.components, excluded.quality)
  returning ${COLUMNS}, (t.xmax = 0) as added`;

export type WrittenTemplate = TemplateRow & { added: boolean };

export function upsertTemplates(
  tx: Queryable,
  owner: TemplateOwner,
  templates: readonly (ProviderTemplate & { newId: string })[],
  begunAt: string,
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
  ]);
}

/**
 * `$6` null: of all names; else of that name only. What was learned since the reading began, `$7`, stays. `not in`, none of which is
 * null, has one plan, which hashes what is kept: `not exists` was planned for a few, and compared 6,000 with 6,000.
 */
const TEMPLATE_REMOVE_MISSING = `
  delete from template t
  where t.account_id = $1 and t.mode = $2 and t.business_account_id = $3 and ($6::text is null or t.name = $6)
    and (t.name, t.language) not in (select * from unnest($4::text[], $5::text[]))
    and ${unchangedSince('$7')}
  returning ${COLUMNS}`;

/** Removes what the provider does not list any more. */
export function removeMissingTemplates(
  tx: Queryable,
  owner: TemplateOwner,
  kept: readonly ProviderTemplate[],
  ofName: string | null,
  begunAt: string,
): Promise<TemplateRow[]> {
  return tx.query<TemplateRow>(TEMPLATE_REMOVE_MISSING, [
    owner.accountId,
    owner.mode,
    owner.businessAccountId,
    kept.map(({ name }) => name),
    kept.map(({ language }) => language),
    ofName,
    begunAt,
  ]);
}

/** A reading holds others off for so long. A provider with many templates, asked page by page, takes minutes. */
const CLAIMED = "interval '10 minutes'";
/** What a notification does not tell is seen within this time. */
const EVERY = "interval '1 hour'";

/** `started_at` is the reading's own mark: a notification takes it away, and a reading that begins later puts its own there. */
const SYNC_BEGIN = `
  insert into template_sync (account_id, mode, business_account_id, started_at) values ($1, $2, $3, clock_timestamp())
  on conflict (account_id, mode, business_account_id) do update set started_at = clock_timestamp()
  returning started_at::text as at`;

/** Notes that all templates are being read. Returns when that began, as `readDatabaseTime` does. */
export async function noteBegun(tx: Queryable, { accountId, mode, businessAccountId }: TemplateOwner): Promise<string> {
  const [row] = await tx.query<{ at: string }>(SYNC_BEGIN, [accountId, mode, businessAccountId]);
  if (row === undefined) throw new Error('The beginning of a reading was not written');
  return row.at;
}

/**
 * Where the mark is gone the list may be older than the news, or another reading is under way: what was due stays due, and a
 * first reading leaves it due.
 */
const SYNC_END = `
  update template_sync set started_at = nullif(started_at, $4::text::timestamptz),
    synced_at = case when started_at = $4::text::timestamptz then now()
      else coalesce(synced_at, clock_timestamp() - ${EVERY}) end
  where account_id = $1 and mode = $2 and business_account_id = $3`;

/** `begunAt` is what `noteBegun` gave before the provider was asked. */
export async function noteSynced(
  tx: Queryable,
  { accountId, mode, businessAccountId }: TemplateOwner,
  begunAt: string,
): Promise<void> {
  await tx.query(SYNC_END, [accountId, mode, businessAccountId, begunAt]);
}

/** As if it had begun so long ago that it holds others off for a minute more. */
const SYNC_FAIL = `
  update template_sync set started_at = now() - ${CLAIMED} + interval '1 minute'
  where account_id = $1 and mode = $2 and business_account_id = $3 and started_at = $4::text::timestamptz`;

/** The provider could not be asked: another reading is due in a minute, unless one is due or under way already. */
export async function noteFailed(
  tx: Queryable,
  { accountId, mode, businessAccountId }: TemplateOwner,
  begunAt: string,
): Promise<void> {
  await tx.query(SYNC_FAIL, [accountId, mode, businessAccountId, begunAt]);
}

const SYNC_LIST = `
  select business_account_id from template_sync
  where account_id = $1 and mode = $2 and business_account_id = any($3::text[]) and synced_at is not null`;

/** Those of an account's business accounts whose templates have ever been read in full. */
export async function listSynced(
  store: Queryable,
  accountId: string,
  mode: Mode,
  businessAccountIds: readonly string[],
): Promise<Set<string>> {
  const rows = await store.query<{ business_account_id: string }>(SYNC_LIST, [accountId, mode, businessAccountIds]);
  return new Set(rows.map(({ business_account_id: id }) => id));
}

/** What a notification tells of a template; null members tell nothing. */
export interface TemplateNews {
  accountId: string;
  mode: Mode;
  businessAccountId: string;
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

/** What has a live channel is read without anybody's asking; of test keys only what has been asked for. */
const SYNC_NOTE_NEW = `
  insert into template_sync (account_id, mode, business_account_id)
  select distinct account_id, mode, business_account_id from channel c
  where status = 'connected' and mode = 'live' and not exists (select from template_sync t
    where t.account_id = c.account_id and t.mode = c.mode and t.business_account_id = c.business_account_id)
  on conflict do nothing
  returning account_id`;

/** Has the business accounts of new live channels read. Returns how many there were. */
export async function noteNewSyncs(store: Queryable): Promise<number> {
  return (await store.query(SYNC_NOTE_NEW)).length;
}

/**
 * When a business account is due: an hour after it was read, unless a reading that may be under way holds others off. It stands in
 * the index `template_sync_due` like this, which takes no times with a zone because they may depend on settings.
 */
const DUE_AT = `coalesce(greatest(t.synced_at at time zone 'UTC' + ${EVERY}, t.started_at at time zone 'UTC' + ${CLAIMED}), '-infinity')`;

/**
 * The channels of a business account, in whatever account. `offset 0` has them found by it: by their account would be the same plan in
 * one and another in the next database, and reads all that an account has for each of its business accounts.
 */
const CHANNELS_OF_BUSINESS = `
        select account_id, mode, status from channel
        where business_account_id = t.business_account_id and status <> 'removed' offset 0`;

const SYNC_FORGET_GONE = `
  delete from template_sync t
  where ${DUE_AT} < now() at time zone 'UTC' and not exists (
    select from (${CHANNELS_OF_BUSINESS}) as c where c.account_id = t.account_id and c.mode = t.mode)
  returning account_id`;

/**
 * Forgets those of which no channel is left, which every look at what is due would pass over again. A channel that is connected later
 * is new, and what was read before is read anew.
 */
export async function forgetGoneSyncs(store: Queryable): Promise<number> {
  return (await store.query(SYNC_FORGET_GONE)).length;
}

/**
 * Claims business accounts whose templates were due to be read before a time and that have a channel still, the one that is due
 * longest first. The claim lapses, so that a node that dies holds nothing up.
 */
const SYNC_CLAIM = `
  with due as (
    select account_id, mode, business_account_id from template_sync t
    where ${DUE_AT} < $1::text::timestamptz at time zone 'UTC'
      and exists (
        select from (${CHANNELS_OF_BUSINESS}) as c
        where c.account_id = t.account_id and c.mode = t.mode and c.status = 'connected')
    order by ${DUE_AT} limit $2 for update skip locked
  )
  update template_sync s set started_at = now() from due
  where s.account_id = due.account_id and s.mode = due.mode and s.business_account_id = due.business_account_id
  returning s.account_id as "accountId", s.mode, s.business_account_id as "businessAccountId"`;

/** `dueBefore` is what `readDatabaseTime` gave. */
export function claimDueSyncs(store: Queryable, dueBefore: string, limit: number): Promise<TemplateOwner[]> {
  return store.query<TemplateOwner>(SYNC_CLAIM, [dueBefore, limit]);
}

/**
 * A notification says that something has changed: the next round reads anew, also if a reading is under way. What was never
 * read is due already, and stays known as never read.
 */
const SYNC_MAKE_DUE = `
  update template_sync set started_at = null,
    synced_at = case when synced_at is not null then clock_timestamp() - ${EVERY} end
  where account_id = $1 and mode = $2 and business_account_id = $3`;

export async function makeSyncDue(tx: Queryable, { accountId, mode, businessAccountId }: TemplateOwner): Promise<void> {
  await tx.query(SYNC_MAKE_DUE, [accountId, mode, businessAccountId]);
}
