import type { Queryable } from '../store/database.ts';

/**
 * A part of a walk: the account's rows before `place`, the newest first, at most `limit`. From the newest down, so that a walk never
 * meets rows that are written meanwhile, however many come; and so that its end needs no time, on which all gateways' clocks
 * would have to agree.
 */
export interface Stretch {
  accountId: string;
  /** The last id that was passed. */
  place: string;
  limit: number;
  /** By what name each person was asked to be forgotten. */
  asked: readonly string[];
  /** All names of these people that are known. */
  persons: readonly string[];
  /** When each of these names was asked to be forgotten, the last time. */
  askedAt: readonly Date[];
}

/** Where a stretch ended; null: there is nothing left. */
export type Reached = string | null;

/** Runs a statement that returns where it ended. Its parameters are `valuesOf` the stretch, and then `more`. */
export async function walk(tx: Queryable, sql: string, stretch: Stretch, ...more: unknown[]): Promise<Reached> {
  return (await tx.query<{ reached: string }>(sql, [...valuesOf(stretch), ...more]))[0]?.reached ?? null;
}

/** What a statement knows of its stretch: $1 the account, $2 where it begins, $3 its length, $4 the people's names. */
export function valuesOf({ accountId, place, limit, persons }: Stretch): unknown[] {
  return [accountId, place, limit, persons];
}
