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
 * Notes news as applied, and returns what was not applied before. A status can be judged by what is known of its message, but
 * a template that is reported as paused again may really have been paused twice. News without a time cannot be told from a
 * repetition that is meant, so it is applied each time. Times are whole seconds, and nothing else identifies news: what is
 * told, taken back and told again within one second counts once. All of this news has the templates, or the number's facts,
 * read again soon, which settles how it ended.
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
    // What stands in the batch twice is taken out with the first of the two.
    return digest === undefined || fresh.delete(digest);
  });
}

/** Of the item as it was read: what differs only in what we do not read has the same effect. */
function digestOf({ origin, item }: News<ChannelItem | TemplateItem>): string | undefined {
  if (item.at === undefined) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([origin, item]))
    .digest('hex');
}
