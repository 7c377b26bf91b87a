/** Some 400 reports: a number that has brought less does not hold anybody up. */
const QUIET_BYTES_MAX = 256 << 10;

/** Which numbers have much waiting, as far as this node has received it itself. */
export interface Backlog {
  /** Counts what has come for a number. True: it has brought so much that what other numbers bring goes first. */
  add(number: string, bytes: number): boolean;
  /** Nothing waits any more that is not being applied. */
  clear(): void;
}

/**
 * Keeps the reports of one campaign from holding up everybody else's. A number that is busy stays so until no pack is left
 * waiting: what it brings later must not go before what it brought earlier.
 */
export function createBacklog(): Backlog {
  const bytesOf = new Map<string, number>();
  return {
    add(number, bytes) {
      const sum = (bytesOf.get(number) ?? 0) + bytes;
      bytesOf.set(number, sum);
      return sum > QUIET_BYTES_MAX;
    },
    clear: () => bytesOf.clear(),
  };
}
