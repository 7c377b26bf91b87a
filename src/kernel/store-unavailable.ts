/**
 * The store cannot do its work now, and nobody here is to blame: it cannot be reached, the connection broke, it is
 * starting or stopping, it is full or overloaded. `cause` tells more.
 */
export class StoreUnavailable extends Error {
  /** The connection broke while a commit may have been under way: what was to be written may be there or not. */
  readonly commitInDoubt: boolean;

  constructor(cause: unknown, commitInDoubt: boolean) {
    super(`The database is not available: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'StoreUnavailable';
    this.commitInDoubt = commitInDoubt;
  }
}

/** What `withinMs` is to do when the store takes too long: it throws. `what` was not there in time; see `commitInDoubt`. */
export function storeTooSlow(what: string, commitInDoubt: boolean): () => never {
  return () => {
    throw new StoreUnavailable(new Error(what), commitInDoubt);
  };
}

/** What `work` gives, or undefined while the store is away: for what is good to know and can be done without. */
export async function unlessUnavailable<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined;
    throw error;
  }
}
