import type { Logger } from 'pino';
import { hastenFacts } from '../channels/facts-store.ts';
import { hastenDeliveries, tidyDeliveries } from '../endpoints/deliver/delivery-store.ts';
import { hastenDeletedAccounts } from '../erasure/account-store.ts';
import { hastenErasures } from '../erasure/person-store.ts';
import { effectsRememberedDays, type KeepDays } from '../kernel/keep.ts';
import { expireIdempotency } from '../messages/commit/idempotency-store.ts';
import { expireErasedInboundIds, expireInboundIds } from '../messages/report/inbound-store.ts';
import { expireNews } from '../notifications/news-store.ts';
import { hastenNotifications } from '../notifications/store.ts';
import { hastenDue } from '../statistics/due-store.ts';
import type { Database } from '../store/database.ts';
import { doEach } from '../store/do-each.ts';
import { hastenSyncs } from '../templates/sync-store.ts';
import { makeWeeks } from './make-weeks.ts';

interface Deps {
  database: Database;
  log: Logger;
  keep: KeepDays;
}

/** Each forgets some of what has expired, and returns how many; it is called again until that is none. */
const EXPIRE = [expireIdempotency, expireInboundIds, expireErasedInboundIds, expireNews, tidyDeliveries];
/** So does each of these with what was put off before the database's clock was set back: it makes it due. */
const HASTEN = [
  hastenDeliveries,
  hastenNotifications,
  hastenSyncs,
  hastenFacts,
  hastenDue,
  hastenErasures,
  hastenDeletedAccounts,
];

/**
 * One round of tidying: makes the weeks ahead, forgets what has expired, and makes due what would wait for too long. Returns how much that
 * was. Once `isStopping` it ends after its next statement.
 */
export async function tidy({ database, log, keep }: Deps, isStopping: () => boolean): Promise<number> {
  const rememberedDays = effectsRememberedDays(keep);
  let tidied = 0;
  const tidyAll = async (sweep: (typeof EXPIRE | typeof HASTEN)[number]) => {
    for (let some = 1; some > 0 && !isStopping(); tidied += some) some = await sweep(database, rememberedDays);
  };
  await doEach([() => makeWeeks(database, log), ...[...EXPIRE, ...HASTEN].map((sweep) => () => tidyAll(sweep))]);
  return tidied;
}
