const STORED_KEY = 'waypost-key';

/**
 * The tab's own store: it is gone with the tab, and no other tab or later visit can read it. A browser that keeps nothing
 * of pages refuses it; then the key is in the memory of the page alone, and a reload asks for it again.
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
    // Even to look whether it is there is refused.
    return undefined;
  }
}
