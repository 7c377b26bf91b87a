import type { WaypostEvent } from '../api/message.ts';
import { live } from './live.svelte.ts';

/** Calls back when such an event comes, or several at once, for as long as the component is shown that asks for it. */
export function onEvent(isIt: (event: WaypostEvent) => boolean, callback: () => void): void {
  $effect(() =>
    live.listen((events) => {
      if (events.some(isIt)) callback();
    }),
  );
}
