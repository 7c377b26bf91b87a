/**
 * A phone number as a query has it. A plus that was not escaped arrives as a space; one that was escaped may have a space before it.
 */
export function unescapedPlus(text: string): string {
  return text.replace(/^ (?=[^+]*$)/, '+');
}
