/** A text that was to be a number, with the characters that nobody sees: they may be why it is none, or make it look like another. */
export function withVisibleMarks(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (mark) => `[U+${codeOf(mark)}]`);
}

function codeOf(mark: string): string {
  return (mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
