/** Counts by key. Only the keys that were started last are kept, so that memory stays bounded. */
export class Counts {
  readonly #counts = new Map<string, number>();
  readonly #keysMax: number;

  constructor(keysMax: number) {
    this.#keysMax = keysMax;
  }

  /** Adds one and returns the new count. */
  add(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > this.#keysMax && oldest !== undefined) this.#counts.delete(oldest);
    return count;
  }

  clear(): void {
    this.#counts.clear();
  }
}
