import { NIL_UUID } from '../kernel/ids.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import type { Queryable } from '../store/database.ts';
import { expireLogs, findExpiredEvents, type LogRow } from './event-log-store.ts';
import type { Progress } from './task-store.ts';

/** One look reads half a million events at most, which takes less than a second, and locks nothing meanwhile. */
const LOOK = { logs: 100, eventsALog: 5_000 };
const BEFORE_ALL: LogRow = { account_id: NIL_UUID, mode: 'live' };

/** Goes through the logs of all accounts and notes how far each has expired. `place` is the last log that is done. */
export async function expireEvents(
  tx: Queryable,
  { eventsFromMs }: KeepLimits,
  { place }: Progress,
): Promise<Progress & { more: boolean }> {
  const ages = await findExpiredEvents(tx, readLog(place), eventsFromMs, LOOK);
  const expired = ages.filter((age) => age.expired !== null);
  const unfinished = expired.some((age) => age.looked_at === LOOK.eventsALog);
  const last = ages.at(-1);
  if (expired.length > 0) await expireLogs(tx, expired);
  if (unfinished) return { place, block: 0, more: true };
  if (last === undefined || ages.length < LOOK.logs) return { place: null, block: 0, more: false };
  return { place: `${last.account_id} ${last.mode}`, block: 0, more: true };
}

function readLog(place: string | null): LogRow {
  if (place === null) return BEFORE_ALL;
  const [accountId = '', mode] = place.split(' ');
  return { account_id: accountId, mode: mode === 'live' ? 'live' : 'test' };
}
