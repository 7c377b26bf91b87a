import { EXIT } from '../failure.ts';
import { onNpmGone } from '../on-npm-gone.ts';
import type { Surroundings } from '../surroundings.ts';

/** How long batches under way are awaited after the first Ctrl-C. Those that are left then are sent again by the next run. */
const GRACE_MS = 30_000;

export interface Stop {
  /** Aborted when nothing more may begin. */
  soon: AbortSignal;
  /** Aborted when everything that still waits is to be broken off. */
  now: AbortSignal;
  /** Breaks off what still waits. */
  breakOff(): void;
}

/**
 * After the first Ctrl-C nothing more begins, and after a while everything that still waits is broken off. The second Ctrl-C ends the
 * process at once.
 */
export function stopOnSignals(around: Surroundings, onStop: () => void): Stop {
  const soon = new AbortController();
  const now = new AbortController();
  const stop = () => {
    if (soon.signal.aborted) around.exit(EXIT.interrupted);
    soon.abort();
    onStop();
    setTimeout(() => now.abort(), GRACE_MS).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) around.on(signal, stop);
  // With a Ctrl-C its npm may end too, which is not a second one.
  onNpmGone(() => soon.signal.aborted || stop());
  return { soon: soon.signal, now: now.signal, breakOff: () => now.abort() };
}
