import { EXIT } from '../failure.ts';

/** What is under way is waited for this long after the first Ctrl-C; what is left then is asked for by the next run. */
const GRACE_MS = 30_000;

export interface Stop {
  /** Nothing more is to begin. */
  soon: AbortSignal;
  /** What still waits is to be broken off. */
  now: AbortSignal;
  /** Breaks off what still waits. */
  breakOff(): void;
}

/** The first Ctrl-C lets nothing more begin, and after a while breaks off what still waits. The second one ends at once. */
export function stopOnSignals(onStop: () => void): Stop {
  const soon = new AbortController();
  const now = new AbortController();
  const stop = () => {
    if (soon.signal.aborted) process.exit(EXIT.interrupted);
    soon.abort();
    onStop();
    setTimeout(() => now.abort(), GRACE_MS).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  return { soon: soon.signal, now: now.signal, breakOff: () => now.abort() };
}
