/** Some 400 reports: a number that has brought less does not hold anybody up. */
const QUIET_BYTES_MAX = 256 << 10;

/** What a notification brings of its number. */
export interface Brought {
  /** The number has brought so much that what other numbers bring goes first. */
  busy: boolean;
  /** To be called once it is committed, or never will be. */
  onWritten(): void;
}

/** Which numbers have much waiting, as far as this node has received it itself. */
export interface Backlog {
  /** Counts what has come for a number. */
  add(number: string, bytes: number): Brought;
  /** To be called before packs are claimed. What it returns is to be called once they are applied, if no other packs were left. */
  beginClaim(): () => void;
}

interface Load {
  bytes: number;
  /** How many notifications that were called busy are not committed yet. */
  open: number;
  /** How many claims had begun when the last of these was committed: only a later one sees it. */
  claims: number;
}

const QUIET: Brought = { busy: false, onWritten() {} };

/**
 * Keeps the reports of one campaign from holding up everybody else's. A busy number stays busy as long as any notification may wait that was
 * called busy, in a pack or for its commit: what the number brings later must not go before what it brought earlier.
 */
export function createBacklog(): Backlog {
  const loads = new Map<string, Load>();
  let claims = 0;
  return {
    add(number, bytes) {
      const load = loads.get(number) ?? { bytes: 0, open: 0, claims: 0 };
      loads.set(number, load);
      load.bytes += bytes;
      if (load.bytes <= QUIET_BYTES_MAX) return QUIET;
      load.open += 1;
      return {
        busy: true,
        onWritten() {
          load.open -= 1;
          load.claims = claims;
        },
      };
    },
    beginClaim() {
      const before = claims;
      claims += 1;
      return () => {
        for (const [number, load] of loads) if (load.open === 0 && load.claims <= before) loads.delete(number);
      };
    },
  };
}
