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
 * Notes news as applied, and returns what was not applied before: a status of a message is judged by what is known of the
 * message, but a template that is told to be paused again may have been paused twice. Without a time of its own it cannot be
 * told from a second one that is meant, so it is applied each time. Its time is in whole seconds, and nothing else in it names
 * it: what is told, taken back and told again within one second counts as told once. All of these have the templates, or the
 * number's facts, read anew soon, and that tells how it ended.
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
