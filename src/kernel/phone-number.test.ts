import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readPhoneNumber } from './phone-number.ts';

describe('phone numbers', () => {
  it('are read however people write them', () => {
    const written = [
      '+447700900123',
      ' +44 7700 900123 ',
      '+44-7700-900-123',
      '+44.7700.900.123',
      '+44 (7700) 900123',
      '+44 [7700] 900123',
      '(+44) 7700 900123',
      '+44\t7700\t900123',
      '+44\u00a07700\u202f900\u2007123\u3000',
      '\u200e+44\u200f7700\u202a900123\u202c',
      '\u2066+447700900123\u2069\u061c',
      '+ 4 4 7 7 0 0 9 0 0 1 2 3',
    ];
    for (const text of written) assert.equal(readPhoneNumber(text), '+447700900123', JSON.stringify(text));
  });

  it('with a bracketed zero are refused in every spelling, because dropping it would reach another person', () => {
    const written = [
      '+44(0)7700900123',
      '+44 (0) 7700 900123',
      '+44 ( 0 ) 7700 900123',
      '+44 [0] 7700 900123',
      '+44 (0] 7700 900123',
      '+44 ((0)) 7700 900123',
      '+44 ([0]) 7700 900123',
      '+44 (\t0\u00a0) 7700 900123',
      '+44 (\u200e0\u200f) 7700 900123',
      '+44 (-0-) 7700 900123',
      '+44 (.0.) 7700 900123',
      '+44-(0)-7700-900123',
    ];
    for (const text of written) assert.equal(readPhoneNumber(text), undefined, JSON.stringify(text));
    assert.equal(readPhoneNumber('+1 (800) 555 0100'), '+18005550100', 'other zeros in brackets are none');
  });

  it('have 7 to 15 digits and begin with a plus and no zero', () => {
    assert.equal(readPhoneNumber('+1234567'), '+1234567');
    assert.equal(readPhoneNumber('+123456789012345'), '+123456789012345');
    const refused = ['+123456', '+1234567890123456', '+0447700900123', '447700900123', '00447700900123', '07700900123'];
    for (const text of refused) assert.equal(readPhoneNumber(text), undefined, text);
  });

  it('hold nothing but what is told', () => {
    const refused = [
      '',
      ' ',
      '+',
      '++447700900123',
      '+44+7700900123',
      '447700900123+',
      '+44770090O123',
      '+44 7700 900123 ext. 5',
      'tel:+447700900123',
      '+44/7700/900123',
      '+44_7700_900123',
      '+44–7700–900123',
      '+44{7700}900123',
      '+44,7700900123',
      '+44\n7700900123',
      '+44\r7700900123',
      '+44\u000b7700900123',
      '+44\u200b7700900123',
      '+44\ufeff7700900123',
      '＋447700900123',
      '+４４７７００９００１２３',
      '+٤٤٧٧٠٠٩٠٠١٢٣',
      '+44770090012😀',
      'GB.13491208655302741918',
    ];
    for (const text of refused) assert.equal(readPhoneNumber(text), undefined, JSON.stringify(text));
  });

  it('are E.164 or nothing, whatever the text', () => {
    const unit = fc.constantFrom(...'0123456789+ -.()[]\t\u00a0\u200ea١,');
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit }), fc.string()), (text) => {
        const number = readPhoneNumber(text);
        if (number === undefined) return;
        assert.match(number, /^\+[1-9][0-9]{6,14}$/);
        assert.equal(text.replace(/[^0-9]/g, ''), number.slice(1), 'every digit is there, in its order');
        assert.equal(readPhoneNumber(number), number);
      }),
      { numRuns: 2_000 },
    );
  });
});
