/**
 * For a button that must not do twice what a double click asks for: the answer to the first click may be there before the
 * second one, and then the button is ready again. The browser counts the clicks.
 */
export function firstClickOnly(clicked: MouseEvent): void {
  if (clicked.detail > 1) clicked.preventDefault();
}
