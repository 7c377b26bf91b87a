export interface Toast {
  id: number;
  text: string;
}

/** Long enough to be read twice. */
const SHOWN_MS = 6_000;

/** Short messages that something was done. Failures are shown where they happened, and stay there. */
export const toasts = createToasts();

function createToasts() {
  let shown = $state.raw<Toast[]>([]);
  let last = 0;
  function remove(id: number): void {
    shown = shown.filter((toast) => toast.id !== id);
  }

  return {
    get shown() {
      return shown;
    },
    tell(text: string): void {
      last += 1;
      const id = last;
      shown = [...shown, { id, text }];
      setTimeout(() => remove(id), SHOWN_MS);
    },
    remove,
  };
}
