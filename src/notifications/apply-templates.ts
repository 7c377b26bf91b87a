import type { ChannelTarget } from '../channels/store.ts';
import type { EventDraft } from '../events/event.ts';
import type {
  TemplateCategoryItem,
  TemplateComponentsItem,
  TemplateQualityItem,
  TemplateStatusItem,
} from '../provider/notification.ts';
import type { Queryable } from '../store/database.ts';
import { applyTemplateNews, makeSyncDue, type TemplateNews } from '../templates/store.ts';
import { draftTemplateEvents } from '../templates/sync.ts';

export type TemplateItem = TemplateStatusItem | TemplateQualityItem | TemplateCategoryItem | TemplateComponentsItem;

/** Events that do not say by their own name what the status is now. The others do, such as `rejected` or `paused`. */
const STATUS_AFTER: Record<string, string | null> = {
  reinstated: 'approved',
  unarchived: 'approved',
  // A warning: the template can still be sent.
  flagged: null,
  locked: null,
};

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
  const owners = new Map(targets.map((target) => [`${target.account_id} ${target.business_account_id}`, target]));
  for (const { account_id: accountId, business_account_id: businessAccountId } of owners.values()) {
    const changed = await applyTemplateNews(tx, { accountId, businessAccountId, ...newsOf(item) });
    for (const row of changed) drafts.push(...draftTemplateEvents(accountId, row.mode, [row]));
    await makeSyncDue(tx, accountId, businessAccountId);
  }
  return drafts;
}

function newsOf(item: TemplateItem): Omit<TemplateNews, 'accountId' | 'businessAccountId'> {
  const news = { name: item.name, language: item.language ?? null, status: null, category: null, quality: null };
  switch (item.kind) {
    case 'template_status':
      return { ...news, status: item.event in STATUS_AFTER ? (STATUS_AFTER[item.event] ?? null) : item.event };
    case 'template_quality':
      return { ...news, quality: item.quality };
    case 'template_category':
      return { ...news, category: item.category ?? null };
    case 'template_components':
      return news;
  }
}
