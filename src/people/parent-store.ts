import type { Mode } from '../kernel/principal.ts';
import { isParentUserId } from '../kernel/user-id.ts';
import type { Queryable } from '../store/database.ts';

/** That a parent user id stands for this user id too, as a notification has named both. */
export interface ParentUserId {
  accountId: string;
  mode: Mode;
  parentUserId: string;
  userId: string;
  /** When the person wrote, called, stopped or resumed. */
  at: Date;
}

/**
 * A pair that is known already, as nearly always, is left alone. Only while an erasure is under way in the account its later time is noted,
 * so that what was told after the erasure was asked for is not forgotten with the rest.
 */
const PARENT_KEEP = `
  insert into parent_user_id as p (account_id, mode, parent_user_id, user_id, told_at)
  select t.account_id, t.mode, t.parent_user_id, t.user_id, t.told_at
  from (
    select account_id, mode, parent_user_id, user_id, max(told_at) as told_at
    from unnest($1::uuid[], $2::mode[], $3::text[], $4::text[], $5::timestamptz[])
      as t(account_id, mode, parent_user_id, user_id, told_at)
    group by account_id, mode, parent_user_id, user_id) as t
  left join lateral (
    select k.told_at from parent_user_id k where k.account_id = t.account_id and k.parent_user_id = t.parent_user_id
      and k.user_id = t.user_id and k.mode = t.mode offset 0
  ) as known on true
  left join lateral (select e.account_id from erasure e where e.account_id = t.account_id limit 1) as erasing on true
  where known.told_at is null or (known.told_at < t.told_at and erasing.account_id is not null)
  order by t.account_id, t.parent_user_id, t.user_id, t.mode
  on conflict (account_id, parent_user_id, user_id, mode) do update set told_at = greatest(p.told_at, excluded.told_at)`;

export async function keepParents(tx: Queryable, parents: readonly ParentUserId[]): Promise<void> {
  await tx.query(PARENT_KEEP, [
    parents.map(({ accountId }) => accountId),
    parents.map(({ mode }) => mode),
    parents.map(({ parentUserId }) => parentUserId),
    parents.map(({ userId }) => userId),
    parents.map(({ at }) => at),
  ]);
}

interface ParentRow {
  parent_user_id: string;
  user_id: string;
}

const PARENT_FIND = `
  select parent_user_id, user_id from parent_user_id where account_id = $1 and mode = $2 and parent_user_id = any($3)`;

/**
 * What each of these people may be known by: a number or a user id by itself, a parent user id also by the user ids that it
 * stands for. Nothing is asked of the database unless one of them is named so, which is rare.
 */
export async function findKnownNames(
  store: Queryable,
  { accountId, mode }: Pick<ParentUserId, 'accountId' | 'mode'>,
  people: readonly string[],
): Promise<Map<string, string[]>> {
  const names = new Map(people.map((person) => [person, [person]]));
  const parents = people.filter(isParentUserId);
  if (parents.length === 0) return names;
  const rows = await store.query<ParentRow>(PARENT_FIND, [accountId, mode, parents]);
  for (const { parent_user_id: parent, user_id: userId } of rows) names.get(parent)?.push(userId);
  return names;
}

/** A pair that was told since the erasure was asked for ($3) is new and stays: without it a stop that came with it could not be kept to. */
const PARENT_FORGET = `
  with by_user as (
    delete from parent_user_id where account_id = $1 and user_id = any($2) and told_at < $3
  ), by_parent as (
    delete from parent_user_id where account_id = $1 and parent_user_id = any($2) and told_at < $3
  )
  select parent_user_id, user_id from parent_user_id where account_id = $1 and user_id = any($2)
  union all
  select parent_user_id, user_id from parent_user_id where account_id = $1 and parent_user_id = any($2)`;

/** Returns the other names of these people, also those that were told since the erasure was asked for. */
export async function forgetParents(
  tx: Queryable,
  { accountId, askedAt }: { accountId: string; askedAt: Date },
  people: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<ParentRow>(PARENT_FORGET, [accountId, people, askedAt]);
  return rows.flatMap(({ parent_user_id: parent, user_id: userId }) => [parent, userId]);
}
