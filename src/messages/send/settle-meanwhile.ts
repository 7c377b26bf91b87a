import type { IntendedMessage } from '../message.ts';
import type { Known } from './settlements.ts';

/** How often a long send commits what it knows: it can be read then, and a crash does not make it `unknown`. */
const SETTLE_EVERY_MS = 500;

/** What is known of a send while it is under way. */
export interface Meanwhile {
  /** Told of each outcome as it becomes known. */
  add(known: Known): void;
  /** From now on nothing more is committed. */
  stop(): void;
  /** Resolves when all that was handed over is committed, or is left to the end again. */
  committed(): Promise<void>;
  /** To be asked after that: whether the message's outcome is committed, and not left to the end. */
  hasCommitted(message: IntendedMessage): boolean;
}

/**
 * Commits outcomes of a send while its other messages are still under way. An `unknown` waits for the end: a notification
 * may prove more until then. `commit` rejects only if it is refused for good, and logs it; what it carried is committed once
 * more at the end, which is tried until it succeeds.
 */
export function settleMeanwhile(commit: (known: readonly Known[]) => Promise<void>): Meanwhile {
  const handedOver = new Set<IntendedMessage>();
  const commits: Promise<void>[] = [];
  let waiting: Known[] = [];
  const timer = setInterval(() => {
    if (waiting.length === 0) return;
    const known = waiting;
    waiting = [];
    for (const { message } of known) handedOver.add(message);
    // Handled here and at once: nobody awaits it before the end, and until then a rejection would end the process.
    commits.push(commit(known).catch(() => known.forEach(({ message }) => void handedOver.delete(message))));
  }, SETTLE_EVERY_MS);
  return {
    add(known) {
      if (known.outcome.status !== 'unknown') waiting.push(known);
    },
    stop: () => clearInterval(timer),
    committed: async () => void (await Promise.all(commits)),
    hasCommitted: (message) => handedOver.has(message),
  };
}
