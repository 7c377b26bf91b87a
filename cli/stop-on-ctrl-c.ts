import { onNpmGone } from './on-npm-gone.ts';
import type { Surroundings } from './surroundings.ts';

/** A signal that the first Ctrl-C aborts, so that a command can end in order. The second Ctrl-C ends it at once. */
export function stopOnCtrlC(around: Surroundings): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) around.once(signal, () => stop.abort());
  onNpmGone(() => stop.abort());
  return stop.signal;
}
