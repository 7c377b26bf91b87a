/** Who waits, told once: with a client, or with undefined if there will be none. */
export type Waiter<Client> = (client: Client | undefined) => void;

/**
 * Those who wait for a connection, one lane for each account. Whichever holds least comes
 * first, and equals take turns, so that one with a thousand messages waiting, or with a hundred that take long, delays
 * another one's first by one message at most.
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

  /**
   * Whoever has waited longest in the lane that holds least, of those that hold less than `heldMax`; among equals in the lane
   * whose turn it is. It no longer waits then. By turns alone, lanes whose calls take long would end up with nearly all
   * connections, and one whose calls take a moment would wait for them each time.
   */
  next(heldBy: (lane: string) => number, heldMax: number): Waiter<Client> | undefined {
    let chosen: [string, Set<Waiter<Client>>] | undefined;
    let least = heldMax;
    for (const entry of this.#lanes) {
      const held = heldBy(entry[0]);
      if (held < least) [chosen, least] = [entry, held];
      if (least <= 0) break;
    }
    if (chosen === undefined) return undefined;
    const [lane, waiters] = chosen;
    const [waiter] = waiters;
    if (waiter !== undefined) this.delete(lane, waiter);
    // Behind all others until its next turn.
    if (this.#lanes.delete(lane)) this.#lanes.set(lane, waiters);
    return waiter;
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
