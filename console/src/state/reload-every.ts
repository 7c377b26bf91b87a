import type { Loader } from './loader.svelte.ts';

/**
 * Reads at once, and then again and again while the page is looked at, until the returned function is called. A call that takes longer than
 * `everyMs` is awaited: with a new one each time, a slow gateway's answers would never be shown.
 */
export function reloadEvery(everyMs: number, loader: Pick<Loader<unknown>, 'busy' | 'load'>): () => void {
  loader.load();
  const isDue = () => document.visibilityState === 'visible' && !loader.busy;
  const timer = setInterval(() => isDue() && loader.load(), everyMs);
  return () => clearInterval(timer);
}
