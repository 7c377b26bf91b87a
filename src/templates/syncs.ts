import type { SendingChannel } from '../channels/channels.ts';
import type { Owner } from '../kernel/principal.ts';
import { sideBySide } from '../kernel/side-by-side.ts';
import { ownerKeyOf, READ_AT_A_TIME, type ReadingDeps, type SyncCounts, syncTemplates } from './sync.ts';
import { listSynced } from './sync-store.ts';

/** Readings of all templates of a business account, of each one at a time on a node. */
export interface Syncs {
  /**
   * Reads all templates. A reading that is under way is waited for and not shared: it may have listed already what has changed before this
   * call. Those who wait share the next one. None begins once the process stops. undefined: it could not be done.
   */
  syncAnew(channel: SendingChannel, closing: AbortSignal): Promise<SyncCounts | undefined>;
  /**
   * The same for several business accounts, by a channel of each, some side by side. undefined: it could not be done for all, be it for a
   * suspended channel; the others are read all the same.
   */
  syncAll(channels: readonly SendingChannel[], closing: AbortSignal): Promise<SyncCounts | undefined>;
  /** Reads those of an account's business accounts that were never read, or shares the reading. Tells whether all have been read. */
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

  async function syncAnew(channel: SendingChannel, closing: AbortSignal): Promise<SyncCounts | undefined> {
    // Whoever began it hears of its failure.
    await running.get(ownerKeyOf(channel))?.catch(() => undefined);
    return closing.aborted ? undefined : sync(channel);
  }

  async function syncEach(channels: readonly SendingChannel[], closing: AbortSignal, read: typeof syncAnew) {
    const limits = { atATime: READ_AT_A_TIME, signal: closing };
    const readUsable = async (channel: SendingChannel) => (channel.suspended ? undefined : read(channel, closing));
    const counts = (await sideBySide(channels, limits, readUsable)).filter((one) => one !== undefined);
    return counts.length === channels.length ? counts.reduce(addCounts, NOTHING_CHANGED) : undefined;
  }

  return {
    syncAnew,
    syncAll: (channels, closing) => syncEach(channels, closing, syncAnew),
    async syncOnce(owner, channels, closing) {
      const ids = channels.map(({ businessAccountId }) => businessAccountId);
      const synced = await listSynced(deps.database, owner, ids);
      const unread = channels.filter(({ businessAccountId }) => !synced.has(businessAccountId));
      return (await syncEach(unread, closing, sync)) !== undefined;
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
