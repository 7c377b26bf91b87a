/** Who waits, told once: with a client, or with undefined if there will be none. */
export type Waiter<Client> = (client: Client | undefined) => void;

/**
 * The callers that wait for a connection, by account. The account that holds fewest connections comes first, and accounts that hold
 * the same number take it in turn. So an account with a thousand messages waiting, or with a hundred that take long, delays the
 * first message of another account by one message at most.
 */
export class FairQueue<Client> {
  /** The accounts in the order of their next turn. One that has no waiters is not in it. */
  readonly #byAccount = new Map<string, Set<Waiter<Client>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(accountId: string, waiter: Waiter<Client>): void {
    const waiters = this.#byAccount.get(accountId) ?? new Set();
    waiters.add(waiter);
    this.#byAccount.set(accountId, waiters);
    this.#size += 1;
  }

  /**
   * Takes out the waiter that comes next: the first of the account that holds fewest connections, and fewer than `heldMax`; of
   * accounts that hold the same number, of the one whose turn it is. Turns alone would not do: accounts whose calls take long would
   * end up with nearly all connections, and an account whose calls take a moment would wait for them each time.
   */
  next(heldBy: (accountId: string) => number, heldMax: number): Waiter<Client> | undefined {
    let chosen: [string, Set<Waiter<Client>>] | undefined;
    let least = heldMax;
    for (const entry of this.#byAccount) {
      const held = heldBy(entry[0]);
      if (held < least) [chosen, least] = [entry, held];
      if (least <= 0) break;
    }
    if (chosen === undefined) return undefined;
    const [accountId, waiters] = chosen;
    const [waiter] = waiters;
    if (waiter !== undefined) this.delete(accountId, waiter);
    // Behind all others until its next turn.
    if (this.#byAccount.delete(accountId)) this.#byAccount.set(accountId, waiters);
    return waiter;
  }

  delete(accountId: string, waiter: Waiter<Client>): void {
    const waiters = this.#byAccount.get(accountId);
    if (waiters?.delete(waiter) !== true) return;
    this.#size -= 1;
    if (waiters.size === 0) this.#byAccount.delete(accountId);
  }

  /** All of them; nobody waits any more. */
  drain(): Waiter<Client>[] {
    const all = [...this.#byAccount.values()].flatMap((waiters) => [...waiters]);
    this.#byAccount.clear();
    this.#size = 0;
    return all;
  }
}
