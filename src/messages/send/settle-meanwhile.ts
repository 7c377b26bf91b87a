import type { IntendedMessage, Outcome } from '../message.ts';

/** How often a long send commits what it knows: it can be read then, and a crash does not make it `unknown`. */
const SETTLE_EVERY_MS = 500;

/** Outcomes of messages, each at the place of its message. */
export interface Known {
  messages: IntendedMessage[];
  outcomes: Outcome[];
}

/** What is known of a send while it is under way. */
export interface Meanwhile {
  /** Told of each outcome as it becomes known. */
  add(message: IntendedMessage, outcome: Outcome): void;
  /** From now on nothing more is committed. */
  stop(): void;
  isSettled(message: IntendedMessage): boolean;
  /** Resolves when all that was handed over is committed, or is left to the end again. */
  committed(): Promise<void>;
}

/**
 * Commits outcomes of a send while its other messages are still under way. An `unknown` waits for the end: a notification
 * may prove more until then. `commit` rejects only if it is refused for good, and logs it; what it carried is committed once
 * more at the end, which is tried until it succeeds.
 */
export function settleMeanwhile(commit: (known: Known) => Promise<void>): Meanwhile {
  const settled = new Set<IntendedMessage>();
  const commits: Promise<void>[] = [];
  let known: Known = { messages: [], outcomes: [] };
  const timer = setInterval(() => {
    if (known.messages.length === 0) return;
    const { messages } = known;
    for (const message of messages) settled.add(message);
    // Handled here and at once: nobody awaits it before the end, and until then a rejection would end the process.
    commits.push(commit(known).catch(() => messages.forEach((message) => void settled.delete(message))));
    known = { messages: [], outcomes: [] };
  }, SETTLE_EVERY_MS);
  return {
    add(message, outcome) {
      if (outcome.status === 'unknown') return;
      known.messages.push(message);
      known.outcomes.push(outcome);
    },
    stop: () => clearInterval(timer),
    isSettled: (message) => settled.has(message),
    committed: async () => void (await Promise.all(commits)),
  };
}
