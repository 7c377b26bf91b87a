/** A text that was to be a number, with the characters that nobody sees: they may be why it is none, or make it look like another. */
export function withVisibleMarks(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (mark) => `[U+${codeOf(mark)}]`);
}

/** What nobody sees: besides marks and spaces some letters that are made to be blank, with which people write a name without one. */
const UNSEEN = /[\p{C}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/gu;

export function isSeen(text: string): boolean {
  return text.replace(UNSEEN, '') !== '';
}

/** A text that somebody chose, as it is; if nothing of it can be seen, with what it is made of, so that there is something to read and to click. */
export function seenText(text: string): string {
  return isSeen(text) ? text : [...text].map((mark) => `[U+${codeOf(mark)}]`).join('');
}

function codeOf(mark: string): string {
  return (mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
