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
import { makeSyncDue } from '../templates/sync-store.ts';

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

/**
 * Applies what a notification tells of a template to the accounts that have the business account, and has all of its
 * templates read anew soon: a notification never tells everything.
 */
export async function applyTemplateItem(
  tx: Queryable,
  item: TemplateItem,
  targets: readonly ChannelTarget[],
): Promise<EventDraft[]> {
  const drafts: EventDraft[] = [];
  const owners = targets.map(({ account_id: accountId, mode, business_account_id: businessAccountId }) => {
    return { accountId, mode, businessAccountId };
  });
  const distinct = new Map(owners.map((owner) => [Object.values(owner).join(' '), owner]));
  for (const owner of distinct.values()) {
    const changed = await applyTemplateNews(tx, { ...owner, ...newsOf(item) });
    drafts.push(...draftTemplateEvents(owner.accountId, owner.mode, changed));
    await makeSyncDue(tx, owner);
  }
  return drafts;
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
