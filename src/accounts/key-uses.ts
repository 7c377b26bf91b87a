import type { Queryable } from '../store/database.ts';
import { type KeyUse, noteKeyUses } from './key-store.ts';

/** Remembers when keys were last used, in memory, so that a call costs no statement for it. */
export interface KeyUses {
  note(accountId: string, keyId: string): void;
  /** Writes what was noted since the last time. What cannot be written is told again by the next use of the key. */
  flush(): Promise<void>;
}

export function createKeyUses(database: Queryable): KeyUses {
  let uses = new Map<string, KeyUse>();
  return {
    note(accountId, keyId) {
      uses.set(keyId, { accountId, keyId });
    },
    async flush() {
      if (uses.size === 0) return;
      const noted = [...uses.values()];
      uses = new Map();
      await noteKeyUses(database, noted);
    },
  };
}
