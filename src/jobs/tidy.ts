import type { Logger } from 'pino';
import { tidyDeliveries } from '../endpoints/deliver/delivery-store.ts';
import { effectsRememberedDays, type KeepDays } from '../kernel/keep.ts';
import { expireIdempotency } from '../messages/commit/idempotency-store.ts';
import { expireErasedInboundIds, expireInboundIds } from '../messages/report/inbound-store.ts';
import { expireNews } from '../notifications/news-store.ts';
import type { Database } from '../store/database.ts';
import { doEach } from '../store/do-each.ts';
import { makeWeeks } from './make-weeks.ts';

interface Deps {
  database: Database;
  log: Logger;
  keep: KeepDays;
}

/** Each forgets some of what has expired, and returns how many; it is called again until that is none. */
const EXPIRE = [expireIdempotency, expireInboundIds, expireErasedInboundIds, expireNews, tidyDeliveries];

/**
 * One round of tidying: makes the weeks ahead and forgets what has expired. Returns how much that was. Once `isStopping` it ends after its
 * next statement.
 */
export async function tidy({ database, log, keep }: Deps, isStopping: () => boolean): Promise<number> {
  const rememberedDays = effectsRememberedDays(keep);
  let expired = 0;
  const expireAll = async (expire: (typeof EXPIRE)[number]) => {
    for (let some = 1; some > 0 && !isStopping(); expired += some) some = await expire(database, rememberedDays);
  };
  await doEach([() => makeWeeks(database, log), ...EXPIRE.map((expire) => () => expireAll(expire))]);
  return expired;
}
