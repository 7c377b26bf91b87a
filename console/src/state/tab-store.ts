const STORED_KEY = 'waypost-key';

/**
 * The tab's own store. It ends with the tab, and no other tab or later visit can read it. A browser that stores nothing for pages refuses
 * it. Then the key is in the memory of the page only, and after a reload it must be given again.
 */
export const tabStore = {
  read: (): string | null => storage()?.getItem(STORED_KEY) ?? null,
  write: (key: string): void => storage()?.setItem(STORED_KEY, key),
  clear: (): void => storage()?.removeItem(STORED_KEY),
};

function storage(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    // The browser refuses even the question whether there is a store.
    return undefined;
  }
}
