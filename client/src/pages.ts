import type { CallOptions } from './options.ts';

/** One page of a list. It may have fewer items than `limit` although more follow. */
export interface Page<Item> {
  data: Item[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

export interface PageQuery {
  /** How many items a page has at most: 1 to 100; 50 if it is not given. `iterate` yields all items, whatever this is. */
  limit?: number | undefined;
  /** Where to go on: the `next_cursor` of the page before. */
  cursor?: string | undefined;
}

type List<Item, Query> = (query: Query, options?: CallOptions) => Promise<Page<Item>>;

/** Every item of a list, page by page, as the reader takes them. */
export async function* eachOf<Item, Query extends PageQuery>(
  list: List<Item, Query>,
  query: Query,
  options: CallOptions | undefined,
): AsyncGenerator<Item, void> {
  for (let page = query; ; ) {
    const { data, next_cursor: cursor } = await list(page, options);
    yield* data;
    if (cursor === null) return;
    page = { ...page, cursor };
  }
}
