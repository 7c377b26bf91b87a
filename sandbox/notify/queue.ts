/** How many places at the front may stay empty before the rest is moved up. */
const EMPTY_MAX = 1024;

/** A first-in first-out queue. Adding and taking cost the same, however long it is. */
export class Queue<T extends NonNullable<unknown>> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (this.size > 0) {
      // A message may be a mebibyte, and thousands of places may be empty.
      this.#items[this.#head] = undefined;
      this.#head += 1;
    }
    if (this.#head > EMPTY_MAX && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }

  /** Removes all items but those that are wanted. */
  keep(isWanted: (item: T) => boolean): void {
    this.#items = this.toArray().filter(isWanted);
    this.#head = 0;
  }

  /** A copy in order, oldest first. */
  toArray(): T[] {
    return this.#items.slice(this.#head).filter((item) => item !== undefined);
  }
}
