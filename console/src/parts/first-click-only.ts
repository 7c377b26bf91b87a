/**
 * For a button whose action must not be done twice by a double click. The answer to the first click may be there before the second click,
 * and then the button is enabled again. So this goes by the browser's count of the clicks.
 */
export function firstClickOnly(clicked: MouseEvent): void {
  if (clicked.detail > 1) clicked.preventDefault();
}
