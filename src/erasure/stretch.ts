import type { Queryable } from '../store/database.ts';

/**
 * A part of a walk: the account's rows before `place`, the newest first, at most `limit`. Downwards, because a walk so never meets what is
 * new, however much comes; and no time is needed to tell where it ends, which would have to be right on all gateways.
 */
export interface Stretch {
  accountId: string;
  /** The last id that was passed. */
  place: string;
  limit: number;
  persons: readonly string[];
}

/** Where a stretch ended; null: there is nothing left. */
export type Reached = string | null;

/** Runs a statement that returns where it ended. It has the values of the stretch, and after these its own. */
export async function walk(tx: Queryable, sql: string, stretch: Stretch, ...more: unknown[]): Promise<Reached> {
  return (await tx.query<{ reached: string }>(sql, [...valuesOf(stretch), ...more]))[0]?.reached ?? null;
}

/** What a statement knows of its stretch: $1 the account, $2 where it begins, $3 its length, $4 the person's names. */
export function valuesOf({ accountId, place, limit, persons }: Stretch): unknown[] {
  return [accountId, place, limit, persons];
}
