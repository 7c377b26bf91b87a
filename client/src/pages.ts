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

/** Every item of a list, page by page, as the reader takes them. */
export async function* eachOf<Item>(readPage: (cursor: string | undefined) => Promise<Page<Item>>) {
  for (let cursor: string | undefined; ; ) {
    const { data, next_cursor: next } = await readPage(cursor);
    yield* data;
    if (next === null) return;
    cursor = next;
  }
}
