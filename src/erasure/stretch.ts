import type { Queryable } from '../store/database.ts';

/** A part of a walk: the account's rows after `place`, at most `limit`, and made before the walk was asked for. */
export interface Stretch {
  accountId: string;
  place: string | null;
  /** The first id that is out of reach. */
  until: string;
  limit: number;
  persons: readonly string[];
}

/** Where a stretch ended; null: there is nothing after it. */
export type Reached = string | null;

/** Runs a statement that returns where it ended. It has the values of the stretch, and after these its own. */
export async function walk(tx: Queryable, sql: string, stretch: Stretch, ...more: unknown[]): Promise<Reached> {
  return (await tx.query<{ reached: string }>(sql, [...valuesOf(stretch), ...more]))[0]?.reached ?? null;
}

/** What a statement knows of its stretch: $1 the account, $2 and $3 where it lies, $4 its length, $5 the person's names. */
export function valuesOf({ accountId, place, until, limit, persons }: Stretch): unknown[] {
  return [accountId, place, until, limit, persons];
}
