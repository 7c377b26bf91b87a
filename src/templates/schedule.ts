import type { Channels } from '../channels/channels.ts';
import type { Queryable } from '../store/database.ts';
import type { TemplateRegistry } from './registry.ts';
import { claimDueSyncs } from './store.ts';

/** How often a node looks for templates that are due. */
export const SYNC_LOOK_MS = 10_000;
/** What a notification does not tell is seen within this time. */
const OLDER_THAN_SECONDS = 3_600;
/** The provider limits such calls; a round of a node makes few. */
const SYNCS_A_ROUND_MAX = 5;

interface Deps {
  database: Queryable;
  channels: Pick<Channels, 'listUsable'>;
  registry: TemplateRegistry;
}

/**
 * Reads the templates of the business accounts that are due, each by one node at a time. Returns how many. One is claimed
 * when its turn has come: a provider that takes minutes for one, or a fault, keeps no other from being read by other nodes.
 */
export async function syncDueTemplates({ database, channels, registry }: Deps): Promise<number> {
  for (let syncs = 0; syncs < SYNCS_A_ROUND_MAX; syncs++) {
    const [due] = await claimDueSyncs(database, OLDER_THAN_SECONDS, 1);
    if (due === undefined) return syncs;
    const usable = await channels.listUsable(due.accountId, due.mode);
    const channel = usable.find((one) => one.businessAccountId === due.businessAccountId && !one.suspended);
    // Its only channel may just have been removed. With a provider that is away it is due again in a minute. What is
    // due although it is being read is so by news, which the list under way may not have.
    if (channel !== undefined) await registry.syncAnew(channel);
  }
  return SYNCS_A_ROUND_MAX;
}
