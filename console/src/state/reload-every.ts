import type { Loader } from './loader.svelte.ts';

type Reloaded = Pick<Loader<unknown>, 'busy' | 'load'>;

/** Reads at once, and then again and again, until the returned function is called. */
export function reloadEvery(everyMs: number, loader: Reloaded): () => void {
  loader.load();
  return repeatEvery(everyMs, loader);
}

/**
 * Reads again and again while the page is looked at, whether the last answer was a failure or not. A call that takes longer than `everyMs`
 * is awaited: with a new one each time, a slow gateway's answers would never be shown.
 */
export function repeatEvery(everyMs: number, loader: Reloaded): () => void {
  const isDue = () => document.visibilityState === 'visible' && !loader.busy;
  const timer = setInterval(() => isDue() && loader.load(), everyMs);
  return () => clearInterval(timer);
}
