import type { Attachment } from 'svelte/attachments';

/**
 * For a button whose call is under way: it does nothing then. It is not `disabled`, because a browser takes the focus from a disabled button,
 * and whoever uses the keyboard or a screen reader would have to look for the place again.
 */
export function whileBusy(busy: boolean): Attachment<HTMLButtonElement> {
  return (button) => {
    if (!busy) return;
    button.ariaDisabled = 'true';
    button.addEventListener('click', ignore, { capture: true });
    return () => {
      button.ariaDisabled = null;
      button.removeEventListener('click', ignore, { capture: true });
    };
  };
}

/** Enter in a field of a form is a click on its button too. */
function ignore(clicked: MouseEvent) {
  clicked.preventDefault();
  clicked.stopImmediatePropagation();
}
