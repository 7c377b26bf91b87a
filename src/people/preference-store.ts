import type { Mode, Owner } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import { findKnownNames } from './parent-store.ts';

/** Whose marketing messages a word is about: what the sandbox tells of a business account holds for its test channels alone. */
export interface PreferenceOwner extends Owner {
  businessAccountId: string;
}

/** Where the words are kept. There are two tables because migration 28 had to leave the key of the first one alone. */
export const PREFERENCE_TABLES: Record<Mode, string> = {
  live: 'marketing_preference',
  test: 'test_marketing_preference',
};

/** A person's word on marketing messages. */
export interface Preference extends PreferenceOwner {
  person: string;
  /** The person's other identity, if the word named both; null: one only. */
  other: string | null;
  stopped: boolean;
  at: Date;
  /** False: the provider did not tell the time, and `at` is when we were told. */
  timed: boolean;
}

/** The provider repeats a notification for this long. */
const REPEATED_FOR = "interval '7 days'";

/** The latest time of a word like this one that is known of the person `p`. */
const latestLike = (word: string) =>
  `coalesce(case when ${word}.stopped = p.stopped then p.at else p.opposite_at end, '-infinity')`;

/** Nothing but their time identifies words: what is said, taken back and said again within one second counts once. */
const COUNTS_NOW = `excluded.stopped <> p.stopped and excluded.at >= p.at and excluded.at > ${latestLike('excluded')}`;

/**
 * The latest word counts, in whatever order the words arrive. A word that is repeated does not count again: a word counts only if its time is
 * after that of the latest known word like it. The other identity stays known when a later word does not tell it, and is learned from an
 * earlier word that comes late. No person may be in one statement twice.
 */
const preferenceKeep = (table: string) => `
  insert into ${table} as p (account_id, business_account_id, person, other, stopped, at)
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[])
    as t(account_id, business_account_id, person, other, stopped, at)
  order by account_id, business_account_id, person
  on conflict (account_id, business_account_id, person) do update set
    other = case when excluded.at >= p.at then coalesce(excluded.other, p.other) else coalesce(p.other, excluded.other) end,
    stopped = case when ${COUNTS_NOW} then excluded.stopped else p.stopped end,
    at = case when ${COUNTS_NOW} then excluded.at
      when excluded.stopped = p.stopped then greatest(p.at, excluded.at) else p.at end,
    opposite_at = case when ${COUNTS_NOW} then p.at
      when excluded.stopped = p.stopped then p.opposite_at else greatest(p.opposite_at, excluded.at) end
  where excluded.at > ${latestLike('excluded')} or (p.other is null and excluded.other is not null)
    or (excluded.at >= p.at and excluded.other <> p.other)`;

export async function keepPreferences(tx: Queryable, preferences: readonly Preference[]): Promise<void> {
  // In the same order everywhere, so that no two wait for each other.
  for (const mode of ['live', 'test'] as const) {
    const told = preferences.filter((preference) => preference.mode === mode);
    if (told.length === 0) continue;
    const table = PREFERENCE_TABLES[mode];
    const words = await withoutRepeated(tx, table, told);
    for (const turn of turnsOf(words)) await tx.query(preferenceKeep(table), columnsOf(turn));
  }
}

/**
 * A word without a time cannot be told from a repetition. For as long as the provider repeats notifications, it is taken for a repetition of
 * the latest known word like it.
 */
const preferenceRepeated = (table: string) => `
  select w.place::integer as place
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[])
    with ordinality as w(account_id, business_account_id, person, other, stopped, at, place)
  cross join lateral (
    select stopped, at, opposite_at from ${table}
    where account_id = w.account_id and business_account_id = w.business_account_id and person = w.person offset 0
  ) as p
  where ${latestLike('w')} > w.at - ${REPEATED_FOR}`;

async function withoutRepeated(tx: Queryable, table: string, words: readonly Preference[]): Promise<Preference[]> {
  const untimed = words.filter(({ timed }) => !timed);
  if (untimed.length === 0) return [...words];
  const rows = await tx.query<{ place: number }>(preferenceRepeated(table), columnsOf(untimed));
  const repeated = new Set(rows.map(({ place }) => untimed[place - 1]));
  const seen = new Set<string>();
  return words.filter((word) => {
    const like = `${keyOf(word)} ${word.stopped}`;
    if (repeated.has(word) || (!word.timed && seen.has(like))) return false;
    seen.add(like);
    return true;
  });
}

const keyOf = ({ accountId, businessAccountId, person }: Preference) => `${accountId} ${businessAccountId} ${person}`;

/**
 * However often a person stops and resumes in one batch, only the last stop and the last resume can count. If several of a kind are of the
 * same second, the first counts, because the others repeat it. Both are written in the order in which they were told, each in a turn.
 */
function turnsOf(words: readonly Preference[]): Preference[][] {
  const turns: [Preference[], Preference[]] = [[], []];
  for (const ofPerson of Map.groupBy(words, keyOf).values()) {
    const latestFirst = ofPerson.toSorted((a, b) => b.at.getTime() - a.at.getTime());
    const other = latestFirst.find((word) => word.other !== null)?.other ?? null;
    const last = [true, false].flatMap((stopped) => latestFirst.find((word) => word.stopped === stopped) ?? []);
    const inOrder = ofPerson.filter((word) => last.includes(word));
    for (const [turn, word] of inOrder.entries()) turns[turn]?.push({ ...word, other });
  }
  return turns.filter((turn) => turn.length > 0);
}

function columnsOf(words: readonly Preference[]): unknown[] {
  return [
    words.map(({ accountId }) => accountId),
    words.map(({ businessAccountId }) => businessAccountId),
    words.map(({ person }) => person),
    words.map(({ other }) => other),
    words.map(({ stopped }) => stopped),
    words.map(({ at }) => at),
  ];
}

/**
 * A person may have two words: one under the name that was asked for, and one under their other identity. The later one counts; if both
 * are of the same second, nobody knows which is later, and a stop counts. The second one counts only if each of the two names the
 * other, because whoever got a person's former number must not speak for them.
 *
 * `is not distinct from` is a comparison that no index serves, so that the row is found by the key. While few words name both identities,
 * the index of the other identities looks as if it were empty, and the planner would choose it.
 */
const preferenceFind = (table: string) => `
  select p.person, coalesce(later.stopped, p.stopped) as stopped, coalesce(later.at, p.at) as at from ${table} p
  left join lateral (
    select o.stopped, o.at from ${table} o
    where o.account_id = p.account_id and o.business_account_id = p.business_account_id and o.person = p.other
      and o.other is not distinct from p.person and (o.at > p.at or (o.at = p.at and o.stopped)) offset 0
  ) as later on true
  where p.account_id = $1 and p.business_account_id = $2 and p.person = any($3)`;

/** The latest word of a person under one name. */
interface Word {
  person: string;
  stopped: boolean;
  at: Date;
}

/** Who of these people has stopped marketing messages and not resumed them, by any of the user ids that a parent user id stands for. */
export async function findStopped(
  store: Queryable,
  { accountId, mode, businessAccountId }: PreferenceOwner,
  people: readonly string[],
): Promise<Set<string>> {
  const known = await findKnownNames(store, { accountId, mode }, people);
  const names = [...known.values()].flat();
  const sql = preferenceFind(PREFERENCE_TABLES[mode]);
  const rows = await store.query<Word>(sql, [accountId, businessAccountId, names]);
  const words = new Map(rows.map((word) => [word.person, word]));
  return new Set(
    people.filter((person) => {
      const others = known.get(person)?.filter((name) => name !== person) ?? [];
      return isStopped(
        words.get(person),
        others.flatMap((name) => words.get(name) ?? []),
      );
    }),
  );
}

/**
 * A word that the provider told under the parent user id alone and a word under a user id that it stands for are words of one person. The
 * later one counts, in whatever order they arrive; of the same second, a stop does. The user ids do not speak for each other.
 */
function isStopped(own: Word | undefined, others: readonly Word[]): boolean {
  if (own === undefined) return others.some(({ stopped }) => stopped);
  if (own.stopped && others.every(({ at }) => at <= own.at)) return true;
  return others.some(({ stopped, at }) => stopped && (own.stopped || at >= own.at));
}
