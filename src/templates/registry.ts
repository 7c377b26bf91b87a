import type { SendingChannel } from '../channels/channels.ts';
import type { SteadyClock } from '../kernel/clock.ts';
import type { MessageError } from '../kernel/message-errors.ts';
import type { Owner } from '../kernel/principal.ts';
import { createRemembered } from '../kernel/remember.ts';
import { sideBySide } from '../kernel/side-by-side.ts';
import type { Database } from '../store/database.ts';
import { createMisses, type Miss } from './misses.ts';
import { findTemplatesByName, type TemplateRow } from './store.ts';
import { ownerOf, READ_AT_A_TIME, type ReadingDeps, type SyncCounts, syncTemplates } from './sync.ts';
import { listSynced } from './sync-store.ts';

/** What the store says of a name is believed for so long; a change that another node has stored is seen after it. */
const BELIEVED_MS = 1_500;
/** What is in use is read again this long before, so that no send waits for it. */
const AHEAD_MS = 500;
const REMEMBERED_MAX = 10_000;

/** An approved template, or why a message with it is not even transmitted. */
export type TemplateLookup = { kind: 'approved'; template: TemplateRow } | { kind: 'refused'; error: MessageError };

export interface TemplateRegistry {
  /** Looks a template up; one that is not known or not approved is asked of the provider first. */
  lookUp(channel: SendingChannel, name: string, language: string): Promise<TemplateLookup>;
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
  /** To be told when this node has stored something new of templates in another way: the next look-up asks the store. */
  forget(): void;
}

interface Deps extends ReadingDeps {
  clock: SteadyClock;
}

export function createTemplateRegistry(deps: Deps): TemplateRegistry {
  const { database, clock } = deps;
  const known = createRemembered({
    load: (_key, { channel, name }: Miss) => findTemplatesByName(database, ownerOf(channel), name),
    believedMs: BELIEVED_MS,
    aheadMs: AHEAD_MS,
    entriesMax: REMEMBERED_MAX,
    clock,
  });
  // What is missing is believed for as long as what is there, unless a reading of it was kept meanwhile.
  const ask = createMisses({ ...deps, onKept: (miss) => known.forget(keyOfMiss(miss)) });
  const syncs = new Map<string, Promise<SyncCounts | undefined>>();

  const registry: TemplateRegistry = {
    async lookUp(channel, name, language) {
      const miss = { channel, name };
      const key = keyOfMiss(miss);
      const hit = (await known.get(key, miss)).find((row) => row.language === language);
      if (hit?.status === 'approved') return { kind: 'approved', template: hit };
      const answered = await ask(miss);
      const rows = await known.get(key, miss);
      const unread = !answered && rows.length === 0 && !(await wasSynced(database, channel));
      return unread ? NOT_READ : judge(rows, language);
    },
    sync(channel) {
      const key = keyOf(channel);
      const running = syncs.get(key);
      if (running !== undefined) return running;
      const sync = syncTemplates(deps, channel).finally(() => {
        syncs.delete(key);
        known.forgetAll();
      });
      syncs.set(key, sync);
      return sync;
    },
    async syncAnew(channel) {
      // Whoever began it hears of its failure.
      await syncs.get(keyOf(channel))?.catch(() => undefined);
      return registry.sync(channel);
    },
    async syncAll(channels, closing) {
      const limits = { atATime: READ_AT_A_TIME, signal: closing };
      const read = async (channel: SendingChannel) => (channel.suspended ? undefined : registry.sync(channel));
      const counts = (await sideBySide(channels, limits, read)).filter((one) => one !== undefined);
      return counts.length === channels.length ? counts.reduce(addCounts, NOTHING_CHANGED) : undefined;
    },
    async syncOnce(owner, channels, closing) {
      const ids = channels.map(({ businessAccountId }) => businessAccountId);
      const synced = await listSynced(database, owner, ids);
      const unread = channels.filter(({ businessAccountId }) => !synced.has(businessAccountId));
      return (await registry.syncAll(unread, closing)) !== undefined;
    },
    forget: known.forgetAll,
  };
  return registry;
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

async function wasSynced(database: Database, channel: SendingChannel): Promise<boolean> {
  const { businessAccountId } = channel;
  return (await listSynced(database, ownerOf(channel), [businessAccountId])).has(businessAccountId);
}

const NOT_READ: TemplateLookup = {
  kind: 'refused',
  error: { code: 'provider_unavailable', detail: 'The provider could not be asked for the template' },
};

function keyOf({ accountId, sender, businessAccountId }: SendingChannel): string {
  return `${accountId} ${sender.mode} ${businessAccountId}`;
}

function keyOfMiss({ channel, name }: Miss): string {
  return `${keyOf(channel)} ${name}`;
}

function judge(rows: readonly TemplateRow[], language: string): TemplateLookup {
  const template = rows.find((row) => row.language === language);
  if (template?.status === 'approved') return { kind: 'approved', template };
  return { kind: 'refused', error: template === undefined ? notFound(rows) : notApproved(template.status) };
}

function notFound(rows: readonly TemplateRow[]): MessageError {
  if (rows.length === 0) return { code: 'template_not_found', detail: 'There is no template of this name' };
  const languages = rows.map((row) => row.language).join(', ');
  return {
    code: 'template_not_found',
    detail: `The template does not exist in this language; it exists in ${languages}`,
  };
}

function notApproved(status: string): MessageError {
  if (status === 'paused') return { code: 'template_paused' };
  if (status === 'disabled') return { code: 'template_disabled' };
  return { code: 'template_not_approved', detail: `The template is not approved: it is ${status}` };
}
