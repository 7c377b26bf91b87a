import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { markOf } from '../../cli/bulk/person-mark.ts';
import { readPhoneNumber } from '../../src/kernel/phone-number.ts';
import { anyCharacter } from '../support/any-character.ts';

const ROW = 7;

/** Every kind of character that is dropped from a number, and characters that only look like these. */
const BETWEEN = [
  ...['', ' ', '\t', '.', '-', '(', ')', '[', ']', '\u00a0', '\u1680', '\u2009', '\u202f', '\u205f', '\u3000'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2068', '\u2069'],
  ...['\n', '\r', '\v', '\f', '\u0085', '\u180e', '\u200b', '\u2028', '\u2060', '\u2065', '\u206a', '\ufeff'],
  ...['(0)', '[0]', '( 0 )', '(\u20680\u2069)', '(00)', '0', '/', '_', '+', 'x', '\u0661', '\uff0b', '\u2013', ','],
];

describe('the marks by which the command line tells people apart', () => {
  it('are the same for two texts exactly where the gateway reads the same number', () => {
    for (const mark of BETWEEN)
      for (const text of [
        `${mark}+447700900123`,
        `+44${mark}7700900123`,
        `+44${mark} 7700900123`,
        `+447700900123${mark}`,
      ])
        assertSame(text);
    const between = fc.constantFrom(...BETWEEN);
    const pieces = fc.array(fc.tuple(between, fc.constantFrom('', '4', '77', '0', '9009')), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, between, (parts, end) => assertSame(`+${parts.flat().join('')}${end}`)),
      { numRuns: 1_500 },
    );
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), assertSame));
  });
});

/** Spaces around the number of a row are not sent to the gateway. */
function assertSame(text: string): void {
  const number = readPhoneNumber(text.trim());
  const expected = number === undefined ? `row ${ROW}` : Number(number.slice(1));
  assert.equal(markOf(text, ROW), expected, JSON.stringify(text));
}
