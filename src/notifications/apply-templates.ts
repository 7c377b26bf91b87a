import type { ChannelTarget } from '../channels/store.ts';
import type { EventDraft } from '../events/event.ts';
import type {
  TemplateCategoryItem,
  TemplateComponentsItem,
  TemplateQualityItem,
  TemplateStatusItem,
} from '../provider/notification.ts';
import type { Queryable } from '../store/database.ts';
import { applyTemplateNews, type TemplateNews, type TemplateOwner } from '../templates/store.ts';
import { draftTemplateEvents } from '../templates/sync.ts';
import { makeSyncsDue } from '../templates/sync-store.ts';

export type TemplateItem = TemplateStatusItem | TemplateQualityItem | TemplateCategoryItem | TemplateComponentsItem;

/** Events that say by their own name what the status is now. */
const STATUSES = [
  ...['approved', 'archived', 'deleted', 'disabled', 'in_appeal'],
  ...['limit_exceeded', 'paused', 'pending', 'pending_deletion', 'rejected'],
];
/**
 * All other events leave the status as it is: `flagged` and `locked`, after which the template can still be sent, and those
 * that we do not know, whose names need not be a status.
 */
const STATUS_AFTER: ReadonlyMap<string, string> = new Map([
  ...STATUSES.map((status) => [status, status] as const),
  ['reinstated', 'approved'],
  ['unarchived', 'approved'],
]);

/** What is told, and the channels whose accounts it is for. */
interface TemplateNotice {
  item: TemplateItem;
  targets: readonly ChannelTarget[];
}

/**
 * Applies what notifications tell of templates to the accounts that have the business account, and has all of its templates read anew
 * soon: a notification never tells everything. Those readings are locked before any template, as whoever keeps a reading does. Otherwise
 * two nodes that are told of the same templates in another order, or one of them and a reading, could wait in a circle.
 */
export async function applyNewsOfTemplates(tx: Queryable, news: readonly TemplateNotice[]): Promise<EventDraft[]> {
  if (news.length === 0) return [];
  const all = news.map(({ item, targets }) => ({ item, owners: ownersOf(targets) }));
  await makeSyncsDue(
    tx,
    all.flatMap(({ owners }) => owners),
  );
  const drafts: EventDraft[] = [];
  for (const { item, owners } of all) {
    for (const owner of owners) {
      const changed = await applyTemplateNews(tx, { ...owner, ...newsOf(item) });
      drafts.push(...draftTemplateEvents(owner.accountId, owner.mode, changed));
    }
  }
  return drafts;
}

function ownersOf(targets: readonly ChannelTarget[]): TemplateOwner[] {
  const owners = targets.map(({ account_id: accountId, mode, business_account_id: businessAccountId }) => {
    return { accountId, mode, businessAccountId };
  });
  return [...new Map(owners.map((owner) => [Object.values(owner).join(' '), owner])).values()];
}

function newsOf(item: TemplateItem): Omit<TemplateNews, keyof TemplateOwner> {
  const news = { name: item.name, language: item.language ?? null, status: null, category: null, quality: null };
  switch (item.kind) {
    case 'template_status':
      return { ...news, status: STATUS_AFTER.get(item.event) ?? null };
    case 'template_quality':
      return { ...news, quality: item.quality };
    case 'template_category':
      return { ...news, category: item.category ?? null };
    case 'template_components':
      return news;
  }
}
