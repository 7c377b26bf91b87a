import { createHash } from 'node:crypto';
import type { ChannelTarget } from '../channels/store.ts';
import type { Mode } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import type { ChannelItem } from './apply-channels.ts';
import type { TemplateItem } from './apply-templates.ts';
import { noteNews } from './news-store.ts';

/** What the provider tells of channels or of a template, and whom it is for. */
export interface News<Item extends ChannelItem | TemplateItem> {
  origin: Mode;
  item: Item;
  targets: ChannelTarget[];
}

/**
 * Notes news as applied, and returns the news that was not applied before. This is needed because a repetition cannot be recognised
 * otherwise: a status is judged by what is known of its message, but a template that is reported as paused again may really have been
 * paused twice.
 *
 * News without a time is applied each time it comes, because it may be meant again. Times are whole seconds, and nothing else identifies
 * news: what is told, taken back and told again within one second counts once. That does no lasting harm, because all news has the
 * templates or the number's facts read again soon.
 */
export async function takeFreshNews<Item extends ChannelItem | TemplateItem>(
  tx: Queryable,
  news: readonly News<Item>[],
): Promise<News<Item>[]> {
  const digests = news.map(digestOf);
  const known = digests.filter((digest) => digest !== undefined);
  if (known.length === 0) return [...news];
  const fresh = await noteNews(tx, known);
  return news.filter((_, index) => {
    const digest = digests[index];
    // Of news that is in the batch twice, only the first one counts as fresh.
    return digest === undefined || fresh.delete(digest);
  });
}

/** A digest of the item as we read it: two that differ only in what we do not read have the same effect. */
function digestOf({ origin, item }: News<ChannelItem | TemplateItem>): string | undefined {
  if (item.at === undefined) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([origin, item]))
    .digest('hex');
}
