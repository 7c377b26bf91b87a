import type { Owner } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import type { TemplateOwner } from './store.ts';

const DATABASE_TIME = 'select clock_timestamp()::text as at';

/** By the database's clock, which all nodes share. As a text, which keeps the microseconds. */
export async function readDatabaseTime(store: Queryable): Promise<string> {
  const [row] = await store.query<{ at: string }>(DATABASE_TIME);
  if (row === undefined) throw new Error('The database told no time');
  return row.at;
}

/** So long a reading that has begun keeps others from beginning. A provider with many templates, asked page by page, takes minutes. */
const CLAIMED = "interval '10 minutes'";
/** What a notification does not tell is seen within this time. */
const EVERY = "interval '1 hour'";

/** `started_at` is the mark of the reading under way. A notification takes it away, and a reading that begins later writes its own. */
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
 * If the mark is gone, a notification has told something newer than the list may be, or another reading began later. That one may have ended
 * already and found nothing new, so that what is older in this list was kept. So another reading is due, after that one if it is under way.
 */
const SYNC_END = `
  update template_sync set started_at = nullif(started_at, $4::text::timestamptz),
    synced_at = case when started_at = $4::text::timestamptz then now() else clock_timestamp() - ${EVERY} end
  where account_id = $1 and mode = $2 and business_account_id = $3`;

/** `begunAt` is what `noteBegun` gave before the provider was asked. */
export async function noteSynced(
  tx: Queryable,
  { accountId, mode, businessAccountId }: TemplateOwner,
  begunAt: string,
): Promise<void> {
  await tx.query(SYNC_END, [accountId, mode, businessAccountId, begunAt]);
}

/** Writes the mark as if the reading had begun so long ago that it keeps others off for one minute more. */
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
  { accountId, mode }: Owner,
  businessAccountIds: readonly string[],
): Promise<Set<string>> {
  const rows = await store.query<{ business_account_id: string }>(SYNC_LIST, [accountId, mode, businessAccountIds]);
  return new Set(rows.map(({ business_account_id: id }) => id));
}

/** The templates of business accounts with a live channel are read without being asked for. In test mode only those that were asked for. */
const SYNC_NOTE_NEW = `
  insert into template_sync (account_id, mode, business_account_id)
  select distinct account_id, mode, business_account_id from channel c
  where status = 'connected' and mode = 'live' and not exists (select from template_sync t
    where t.account_id = c.account_id and t.mode = c.mode and t.business_account_id = c.business_account_id)
  on conflict do nothing
  returning account_id`;

/** Makes the business accounts of new live channels due. Returns how many there were. */
export async function noteNewSyncs(store: Queryable): Promise<number> {
  return (await store.query(SYNC_NOTE_NEW)).length;
}

/**
 * When a business account is due: an hour after it was read, or later if a reading that may be under way keeps others off. The index
 * `template_sync_due` has this very expression. An index takes no times with a zone, because they may depend on settings.
 */
const DUE_AT = `coalesce(greatest(t.synced_at at time zone 'UTC' + ${EVERY}, t.started_at at time zone 'UTC' + ${CLAIMED}), '-infinity')`;

/**
 * The channels of a business account, in whatever account. `offset 0` has them found by their business account. Otherwise some databases would
 * find them by their account, which reads all channels of an account for each of its business accounts.
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
 * Forgets business accounts that have no channel left: every look at what is due would have to pass over them. If a channel is connected
 * later, its business account counts as new and is read anew.
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

/** In the order of the key, so that two who lock several wait for each other and never cross. */
const SYNC_MAKE_DUE = `
  with told as materialized (
    select s.account_id, s.mode, s.business_account_id
    from unnest($1::uuid[], $2::mode[], $3::text[]) as t(account_id, mode, business_account_id)
    join template_sync s on s.account_id = t.account_id and s.mode = t.mode and s.business_account_id = t.business_account_id
    order by s.account_id, s.mode, s.business_account_id for update of s
  )
  update template_sync s set started_at = null,
    synced_at = case when s.synced_at is not null then clock_timestamp() - ${EVERY} end
  from told where s.account_id = told.account_id and s.mode = told.mode and s.business_account_id = told.business_account_id`;

/**
 * Notifications say that something has changed: the next round reads anew, also if a reading is under way. What was never read is due
 * already, and stays known as never read. Nobody keeps a reading of these business accounts until the end of the transaction.
 */
export async function makeSyncsDue(tx: Queryable, owners: readonly TemplateOwner[]): Promise<void> {
  await tx.query(SYNC_MAKE_DUE, [
    owners.map(({ accountId }) => accountId),
    owners.map(({ mode }) => mode),
    owners.map(({ businessAccountId }) => businessAccountId),
  ]);
}

/**
 * None is due later than in an hour. One that seems so was read before the database's clock was set back. What is locked is left to the next
 * sweep.
 */
const SYNC_HASTEN = `
  update template_sync set started_at = null,
    synced_at = case when synced_at is not null then clock_timestamp() - ${EVERY} end
  where ctid = any(array(
    select ctid from template_sync t where ${DUE_AT} > now() at time zone 'UTC' + ${EVERY} + interval '1 minute'
    limit 1000 for update skip locked))
  returning account_id`;

/** Makes some business accounts due that were read at a time of a clock that was wrong; returns how many. */
export async function hastenSyncs(store: Queryable): Promise<number> {
  return (await store.query(SYNC_HASTEN)).length;
}

const SYNC_HOLD = `
  select 1 from template_sync where account_id = $1 and mode = $2 and business_account_id = $3 for update`;

/** Waits for notifications that are changing templates of the business account, and holds back others until the commit. */
export async function holdSync(tx: Queryable, { accountId, mode, businessAccountId }: TemplateOwner): Promise<void> {
  await tx.query(SYNC_HOLD, [accountId, mode, businessAccountId]);
}
