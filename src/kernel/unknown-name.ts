/** Beyond these a body is no beginner's mistake: it was made to hold some hundred thousand, and a list beside each would multiply the answer. */
const TOLD_MAX = 50;

/** What a caller is told of a name that is not known: those that are known in its place. `before`: how many faults were found before. */
export function unknownName(what: 'member' | 'parameter', known: readonly string[], before: number): string {
  const sentence = `This ${what} is not known.`;
  if (before >= TOLD_MAX) return sentence;
  return known.length === 0 ? `${sentence} None is taken here.` : `${sentence} Known here: ${known.join(', ')}.`;
}
