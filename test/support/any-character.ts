import fc from 'fast-check';

/** How many there are, and where the halves of pairs begin, which are no characters. */
const CODE_POINTS = 0x110000 - 0x800;
const HALVES = 0xd800;

/**
 * A character of all that there are, for texts: as fast-check's unit `binary`, with more of ASCII. For that one each process would first
 * make a table of them all, which takes 1.4 s.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.oneof(fc.nat(0x7f), fc.nat(CODE_POINTS - 1)).map(
  (place) => String.fromCodePoint(place < HALVES ? place : place + 0x800),
  // The way back, with which fast-check makes texts such as `__proto__` more often.
  (made) => {
    const [only, ...more] = typeof made === 'string' ? made : [];
    const point = only?.codePointAt(0);
    if (point === undefined || more.length > 0) throw new Error('This is no character');
    return point < HALVES ? point : point - 0x800;
  },
);
