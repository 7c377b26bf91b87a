import type { Failure } from '../api/failure.ts';

/** What the button of a dialog does: the dialog shows the failure, or is closed if there is none. */
export function createDialogAction(run: () => Promise<Failure | undefined>, close: () => void) {
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
      failure = await run();
      busy = false;
      // Whoever has closed it meanwhile may have opened another one.
      if (failure === undefined && isOpen) close();
    },
  };
}
