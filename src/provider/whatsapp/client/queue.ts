/** Who waits, told once: with a client, or with undefined if there will be none. */
export type Waiter<Client> = (client: Client | undefined) => void;

/**
 * Those who wait for a connection, one lane for each account. The lanes take turns, so that one with a thousand
 * messages waiting delays another one's first by one message and not by a thousand.
 */
export class TurnQueue<Client> {
  /** In the order of their next turn; no lane is empty. */
  readonly #lanes = new Map<string, Set<Waiter<Client>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(lane: string, waiter: Waiter<Client>): void {
    const waiters = this.#lanes.get(lane) ?? new Set();
    waiters.add(waiter);
    this.#lanes.set(lane, waiters);
    this.#size += 1;
  }

  /** Whoever has waited longest in the lane whose turn it is, of those that may have one; it no longer waits then. */
  next(mayHave: (lane: string) => boolean): Waiter<Client> | undefined {
    for (const [lane, waiters] of this.#lanes)
      for (const waiter of mayHave(lane) ? waiters : []) {
        this.delete(lane, waiter);
        // Behind all others until its next turn.
        if (this.#lanes.delete(lane)) this.#lanes.set(lane, waiters);
        return waiter;
      }
    return undefined;
  }

  delete(lane: string, waiter: Waiter<Client>): void {
    const waiters = this.#lanes.get(lane);
    if (waiters?.delete(waiter) !== true) return;
    this.#size -= 1;
    if (waiters.size === 0) this.#lanes.delete(lane);
  }

  /** All of them; nobody waits any more. */
  drain(): Waiter<Client>[] {
    const all = [...this.#lanes.values()].flatMap((waiters) => [...waiters]);
    this.#lanes.clear();
    this.#size = 0;
    return all;
  }
}
