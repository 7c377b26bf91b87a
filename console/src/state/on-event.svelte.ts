import type { WaypostEvent } from '../api/message.ts';
import { live } from './live.svelte.ts';

/**
 * Calls back when such an event comes, or several at once, for as long as the component is shown that asks for it. Also when the stream
 * begins: what happened before that, and after the page was read, no event tells.
 */
export function onEvent(isIt: (event: WaypostEvent) => boolean, callback: () => void): void {
  $effect(() =>
    live.listen((events) => {
      if (events.some(isIt)) callback();
    }, callback),
  );
}
