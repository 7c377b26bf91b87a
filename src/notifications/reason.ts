/** Why an item has no effect yet. `unknown_message` and `locked` may pass by themselves; the others need somebody. */
export type Leftover = 'unknown_message' | 'locked' | 'no_channel' | 'undecodable' | 'failed';

/** Why a notification was not applied, or not all of it. */
type Reason = Leftover | 'not_json';

const PARTED_BY = ', ';

/** The `error` of a notification, as it is stored and shown: each reason once. null: there is none. */
export function writeReasons(reasons: readonly Reason[]): string | null {
  return reasons.length === 0 ? null : [...new Set(reasons)].sort().join(PARTED_BY);
}

/** Whether an `error` that was stored tells of this reason. */
export function hasReason(error: string | null, reason: Reason): boolean {
  return error?.split(PARTED_BY).includes(reason) ?? false;
}

/** The same in SQL, of the column `error`. */
export function hasReasonSql(reason: Reason): string {
  return `'${reason}' = any(string_to_array(error, '${PARTED_BY}'))`;
}
