export interface Page<Item> {
  data: Item[];
  /** For the next page; null on the last one. */
  next_cursor: string | null;
}

export interface PageQuery {
  /** 1 to 100; 50 if it is not given. */
  limit?: number | undefined;
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
