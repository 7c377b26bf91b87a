import { Type } from 'typebox';

/**
 * A list of these words, at least `minItems` and none twice. Duplicates are looked for only in a list that is not too long: the
 * validator's own search takes a time that grows with the square of the list, and a body of a megabyte held up everybody for
 * minutes.
 */
export function wordsOnce<Word extends string>(words: readonly Word[], minItems = 1) {
  const list = Type.Array(Type.Enum([...words]), { minItems, maxItems: words.length });
  const once = Type.Refine(
    Type.Unknown(),
    (given) => !Array.isArray(given) || given.length > words.length || new Set(given).size === given.length,
    () => 'The value must not have duplicate items.',
  );
  return Type.Intersect([list, once], { describedAs: { ...list, uniqueItems: true } });
}
