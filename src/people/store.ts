import type { Queryable } from '../store/database.ts';

/** A sign of life of a person towards a channel. `person` is a phone number in E.164 form or a user id. */
export interface Contact {
  accountId: string;
  channelId: string;
  person: string;
  at: Date;
}

const WINDOW_EXTEND = `
  insert into customer_window as w (account_id, channel_id, person, last_at)
  select account_id, channel_id, person, max(at)
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[]) as t(account_id, channel_id, person, at)
  group by account_id, channel_id, person
  order by account_id, channel_id, person
  on conflict (account_id, channel_id, person) do update set last_at = greatest(w.last_at, excluded.last_at)`;

export async function extendWindows(tx: Queryable, contacts: readonly Contact[]): Promise<void> {
  await tx.query(WINDOW_EXTEND, [
    contacts.map(({ accountId }) => accountId),
    contacts.map(({ channelId }) => channelId),
    contacts.map(({ person }) => person),
    contacts.map(({ at }) => at),
  ]);
}

const WINDOW_FIND = `
  select person, last_at from customer_window where account_id = $1 and channel_id = $2 and person = any($3)`;

/** When each of these people last wrote to or called the channel, as far as we know. */
export async function findWindows(
  store: Queryable,
  accountId: string,
  channelId: string,
  people: readonly string[],
): Promise<Map<string, Date>> {
  const rows = await store.query<{ person: string; last_at: Date }>(WINDOW_FIND, [accountId, channelId, people]);
  return new Map(rows.map((row) => [row.person, row.last_at]));
}

/** A person's word on marketing messages of a business account. */
export interface Preference {
  accountId: string;
  businessAccountId: string;
  person: string;
  stopped: boolean;
  at: Date;
}

/** The latest word counts, in whatever order the words arrive. */
const PREFERENCE_KEEP = `
  insert into marketing_preference as p (account_id, business_account_id, person, stopped, at)
  select distinct on (account_id, business_account_id, person) account_id, business_account_id, person, stopped, at
  from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::timestamptz[])
    with ordinality as t(account_id, business_account_id, person, stopped, at, place)
  order by account_id, business_account_id, person, at desc, place desc
  on conflict (account_id, business_account_id, person) do update set stopped = excluded.stopped, at = excluded.at
  where excluded.at >= p.at`;

export async function keepPreferences(tx: Queryable, preferences: readonly Preference[]): Promise<void> {
  await tx.query(PREFERENCE_KEEP, [
    preferences.map(({ accountId }) => accountId),
    preferences.map(({ businessAccountId }) => businessAccountId),
    preferences.map(({ person }) => person),
    preferences.map(({ stopped }) => stopped),
    preferences.map(({ at }) => at),
  ]);
}

const PREFERENCE_STOPPED = `
  select person from marketing_preference
  where account_id = $1 and business_account_id = $2 and person = any($3) and stopped`;

/** Who of these people has stopped marketing messages and not resumed them. */
export async function findStopped(
  store: Queryable,
  accountId: string,
  businessAccountId: string,
  people: readonly string[],
): Promise<Set<string>> {
  const rows = await store.query<{ person: string }>(PREFERENCE_STOPPED, [accountId, businessAccountId, people]);
  return new Set(rows.map(({ person }) => person));
}
