/** What had the focus before the first dialog of a row was opened: a question, and then the secret that it led to. */
let opener: Element | null = null;

/** To be called before a dialog is opened. */
export function keepOpener(): void {
  const focused = document.activeElement;
  if (focused?.closest('dialog') == null) opener = focused;
}

/**
 * To be called when a dialog is gone. The browser gives the focus back when a dialog is closed, but not when it is taken
 * out of the page or what has opened it is gone: whoever uses the keyboard then began at the top of the page again.
 */
export function giveFocusBack(): void {
  const isTaken = document.activeElement !== null && document.activeElement !== document.body;
  if (isTaken || document.querySelector('dialog[open]') !== null) return;
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('main h1')?.focus();
}
