/** The element that had the focus before the first of several dialogs was opened: a question may lead to a dialog with a secret. */
let opener: Element | null = null;

/** Call it before a dialog is opened. */
export function keepOpener(): void {
  const focused = document.activeElement;
  if (focused?.closest('dialog') == null) opener = focused;
}

/**
 * Call it when a dialog is gone. The browser gives the focus back when a dialog is closed, but not when the dialog is removed from the
 * page, or when the element that opened it is gone. Then somebody who uses the keyboard would begin at the top of the page again.
 */
export function giveFocusBack(): void {
  const isTaken = document.activeElement !== null && document.activeElement !== document.body;
  if (isTaken || document.querySelector('dialog[open]') !== null) return;
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('main h1')?.focus();
}
