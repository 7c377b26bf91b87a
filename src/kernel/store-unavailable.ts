import { messageOf } from './message-of.ts';

/**
 * The store cannot do its work now, through no fault of ours: it cannot be reached, the connection broke, it is starting or
 * stopping, full or overloaded. `cause` tells more.
 */
export class StoreUnavailable extends Error {
  /** Whether the connection broke while a commit may have been under way, so that the rows may or may not be there. */
  readonly commitInDoubt: boolean;

  constructor(cause: unknown, commitInDoubt: boolean) {
    super(`The database is not available: ${messageOf(cause)}`, { cause });
    this.name = 'StoreUnavailable';
    this.commitInDoubt = commitInDoubt;
  }
}

/** For `withinMs`: throws `StoreUnavailable` where the store takes too long. `what` says what did not come in time. */
export function storeTooSlow(what: string, commitInDoubt: boolean): () => never {
  return () => {
    throw new StoreUnavailable(new Error(what), commitInDoubt);
  };
}

/** What `work` gives, or undefined while the store is away: for work that can be done without. */
export async function unlessUnavailable<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined;
    throw error;
  }
}
