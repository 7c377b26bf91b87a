import type { Mode } from '../kernel/principal.ts';
import { isParentUserId } from '../kernel/user-id.ts';
import type { Queryable } from '../store/database.ts';

/** That a parent user id stands for this user id too, as a notification has named both. */
export interface ParentUserId {
  accountId: string;
  mode: Mode;
  parentUserId: string;
  userId: string;
}

const PARENT_KEEP = `
  insert into parent_user_id (account_id, mode, parent_user_id, user_id)
  select distinct account_id, mode, parent_user_id, user_id
  from unnest($1::uuid[], $2::mode[], $3::text[], $4::text[]) as t(account_id, mode, parent_user_id, user_id)
  order by account_id, parent_user_id, user_id, mode
  on conflict do nothing`;

export async function keepParents(tx: Queryable, parents: readonly ParentUserId[]): Promise<void> {
  await tx.query(PARENT_KEEP, [
    parents.map(({ accountId }) => accountId),
    parents.map(({ mode }) => mode),
    parents.map(({ parentUserId }) => parentUserId),
    parents.map(({ userId }) => userId),
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

const PARENT_FORGET = `
  delete from parent_user_id where account_id = $1 and (user_id = any($2) or parent_user_id = any($2))
  returning parent_user_id, user_id`;

/** Returns what else the people were called by. */
export async function forgetParents(tx: Queryable, accountId: string, people: readonly string[]): Promise<string[]> {
  const rows = await tx.query<ParentRow>(PARENT_FORGET, [accountId, people]);
  return rows.flatMap(({ parent_user_id: parent, user_id: userId }) => [parent, userId]);
}
