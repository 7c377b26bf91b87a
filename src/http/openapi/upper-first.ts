/** `sendMessages` is `SendMessages`, the first part of the names of what belongs to it. */
export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
