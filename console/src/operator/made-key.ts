import type { ShownOnce } from '../state/shown-once.svelte.ts';

/** How a key is shown, the only time that it is. */
export function madeKey(key: string): ShownOnce {
  return {
    title: 'The key is made',
    what: 'the key',
    secret: key,
    text: "Give it to the account's owner by a safe way.",
  };
}
