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

/** Reads the templates of the business accounts that are due, each by one node at a time. Returns how many. */
export async function syncDueTemplates({ database, channels, registry }: Deps): Promise<number> {
  const due = await claimDueSyncs(database, OLDER_THAN_SECONDS, SYNCS_A_ROUND_MAX);
  for (const { accountId, mode, businessAccountId } of due) {
    const usable = await channels.listUsable(accountId, mode);
    const channel = usable.find((one) => one.businessAccountId === businessAccountId && !one.suspended);
    // Its only channel may just have been removed. With a provider that is away it is due again in a minute. What is
    // due although it is being read is so by news, which the list under way may not have.
    if (channel !== undefined) await registry.syncAnew(channel);
  }
  return due.length;
}
