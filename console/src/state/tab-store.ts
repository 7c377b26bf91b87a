const STORED_KEY = 'waypost-key';

/**
 * The tab's own store, which no other tab can read. A browser that brings back a closed tab brings it back too, and keeps it in a file for
 * that, so only signing out ends it for certain. A browser that stores nothing for pages refuses it. Then the key is in the memory of the
 * page only, and after a reload it must be given again.
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
