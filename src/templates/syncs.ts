import type { SendingChannel } from '../channels/channels.ts';
import type { Owner } from '../kernel/principal.ts';
import { sideBySide } from '../kernel/side-by-side.ts';
import { ownerKeyOf, READ_AT_A_TIME, type ReadingDeps, type SyncCounts, syncTemplates } from './sync.ts';
import { listSynced } from './sync-store.ts';

/** Readings of all templates of a business account, of each one at a time on a node. */
export interface Syncs {
  /** Reads all templates anew; callers that come meanwhile share the reading. undefined: it could not be done. */
  sync(channel: SendingChannel): Promise<SyncCounts | undefined>;
  /** The same, but a reading that is under way here already is not shared: something has happened since it began. */
  syncAnew(channel: SendingChannel): Promise<SyncCounts | undefined>;
  /**
   * Reads all templates of several business accounts, by a channel of each, some side by side. undefined: it could not be done for
   * all, be it for a suspended channel; the others are read all the same. Nothing more is begun once the process stops.
   */
  syncAll(channels: readonly SendingChannel[], closing: AbortSignal): Promise<SyncCounts | undefined>;
  /** The same for the business accounts of an account where that was never done. Tells whether it is done for all. */
  syncOnce(owner: Owner, channels: readonly SendingChannel[], closing: AbortSignal): Promise<boolean>;
}

/** `onEnd` is called after each reading, before those who wait for it go on. */
export function createSyncs(deps: ReadingDeps, onEnd: () => void): Syncs {
  const running = new Map<string, Promise<SyncCounts | undefined>>();

  function sync(channel: SendingChannel): Promise<SyncCounts | undefined> {
    const key = ownerKeyOf(channel);
    const shared = running.get(key);
    if (shared !== undefined) return shared;
    const own = syncTemplates(deps, channel).finally(() => {
      running.delete(key);
      onEnd();
    });
    running.set(key, own);
    return own;
  }

  async function syncAll(channels: readonly SendingChannel[], closing: AbortSignal): Promise<SyncCounts | undefined> {
    const limits = { atATime: READ_AT_A_TIME, signal: closing };
    const read = async (channel: SendingChannel) => (channel.suspended ? undefined : sync(channel));
    const counts = (await sideBySide(channels, limits, read)).filter((one) => one !== undefined);
    return counts.length === channels.length ? counts.reduce(addCounts, NOTHING_CHANGED) : undefined;
  }

  return {
    sync,
    async syncAnew(channel) {
      // Whoever began it hears of its failure.
      await running.get(ownerKeyOf(channel))?.catch(() => undefined);
      return sync(channel);
    },
    syncAll,
    async syncOnce(owner, channels, closing) {
      const ids = channels.map(({ businessAccountId }) => businessAccountId);
      const synced = await listSynced(deps.database, owner, ids);
      const unread = channels.filter(({ businessAccountId }) => !synced.has(businessAccountId));
      return (await syncAll(unread, closing)) !== undefined;
    },
  };
}

const NOTHING_CHANGED: SyncCounts = { added: 0, changed: 0, removed: 0, total: 0 };

function addCounts(sum: SyncCounts, { added, changed, removed, total }: SyncCounts): SyncCounts {
  return {
    added: sum.added + added,
    changed: sum.changed + changed,
    removed: sum.removed + removed,
    total: sum.total + total,
  };
}
