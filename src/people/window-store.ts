import type { Owner } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import { findKnownNames } from './parent-store.ts';

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

/** The window belongs to the number: a channel that had it before, and was removed, counts too. */
const WINDOW_FIND = `
  select wanted.person, max(w.last_at) as last_at
  from (select f.id from channel c join channel f on (f.account_id, f.mode, f.phone_number_id)
      = (c.account_id, c.mode, c.phone_number_id) and (f.id = c.id or f.status = 'removed')
    where c.account_id = $1 and c.id = $2) as of_number
  cross join unnest($3::text[]) as wanted(person)
  cross join lateral (
    select last_at from customer_window where account_id = $1 and channel_id = of_number.id and person = wanted.person offset 0
  ) as w
  group by wanted.person`;

/** A channel, as far as windows go. */
interface WindowOwner extends Owner {
  channelId: string;
}

/** When each of these people last wrote to or called the channel's number, as far as we know. */
export async function findWindows(
  store: Queryable,
  { accountId, mode, channelId }: WindowOwner,
  people: readonly string[],
): Promise<Map<string, Date>> {
  const known = await findKnownNames(store, { accountId, mode }, people);
  const names = [...known.values()].flat();
  const rows = await store.query<{ person: string; last_at: Date }>(WINDOW_FIND, [accountId, channelId, names]);
  const byName = new Map(rows.map((row) => [row.person, row.last_at]));
  return new Map(
    [...known].flatMap(([person, itsNames]) => {
      const times = itsNames.flatMap((name) => byName.get(name) ?? []);
      const [lastAt] = times.sort((a, b) => b.getTime() - a.getTime());
      return lastAt === undefined ? [] : [[person, lastAt]];
    }),
  );
}
