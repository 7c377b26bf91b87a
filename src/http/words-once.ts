import { Type } from 'typebox';

/**
 * A list of these words, at least `minItems` and none twice. A list that is too long is not looked into: the validator would go through
 * all of it, however many faults it has found, and its own search for duplicates takes a time that grows with the square of the
 * list's length. A body of a megabyte held up everybody.
 */
export function wordsOnce<Word extends string>(words: readonly Word[], minItems = 1) {
  const word = Type.Enum([...words]);
  const described = { type: 'array', items: word, minItems, maxItems: words.length };
  const list = Type.Unsafe<Word[]>({
    ...{ type: 'array', minItems, maxItems: words.length },
    ...{ if: { minItems: words.length + 1 }, else: { items: word } },
  });
  const once = Type.Refine(
    Type.Unknown(),
    (given) => !Array.isArray(given) || given.length > words.length || new Set(given).size === given.length,
    () => 'The value must not have duplicate items.',
  );
  return Type.Intersect([list, once], { describedAs: { ...described, uniqueItems: true } });
}
