import type { Failure } from '../api/failure.ts';
import { session } from '../state/session.svelte.ts';
import { toasts } from '../state/toasts.svelte.ts';

interface Action {
  /** The title of the dialog. */
  title: () => string;
  /** Returns the failure. If there is none, the dialog is closed. */
  run: () => Promise<Failure | undefined>;
  close: () => void;
}

/**
 * What the button of a dialog does. The dialog shows the failure. Whoever has closed the dialog meanwhile is told of it as of a success:
 * otherwise a key that was not revoked would be taken for one that was.
 */
export function createDialogAction({ title, run, close }: Action) {
  let busy = $state(false);
  let failure = $state.raw<Failure>();
  let isOpen = true;
  $effect(() => () => {
    isOpen = false;
  });
  return {
    get busy() {
      return busy;
    },
    get failure() {
      return failure;
    },
    async run(): Promise<void> {
      busy = true;
      const { who } = session;
      const asked = title();
      failure = await run();
      busy = false;
      // Whoever has closed it meanwhile may have opened another one.
      if (isOpen && failure === undefined) close();
      if (!isOpen && failure !== undefined && session.who === who)
        toasts.tell(`${asked}${asked.endsWith('?') ? '' : ':'} ${failure.title}.`);
    },
  };
}
