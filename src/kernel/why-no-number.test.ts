import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readPhoneNumber } from './phone-number.ts';
import { whyNoNumber } from './why-no-number.ts';

it('says of each usual mistake in a number what to do, and repeats nothing of the text', () => {
  for (const [text, why] of [
    ['447700900123', 'write a plus before it, and the country code if that is not there'],
    ['(555) 012-3456', 'write a plus before it, and the country code if that is not there'],
    ['1-555-123-4567', 'write a plus before it, and the country code if that is not there'],
    ['00447700900123', 'write a plus in place of the first two zeros'],
    ['00 44 7700 900123', 'write a plus in place of the first two zeros'],
    ['07700 900123', 'write it as it is dialled from abroad, with a plus and the country code'],
    ['+07700900123', 'write it as it is dialled from abroad, with a plus and the country code'],
    ['+44 (0)7700 900123', 'write it as it is dialled from abroad, with a plus and the country code'],
    ['+4477', 'write 7 to 15 digits after the plus, the country code included'],
    ['+4477009001231234', 'write 7 to 15 digits after the plus, the country code included'],
    ['+447700900127, +447700900128', 'in an array each number is a text of its own'],
    ['GB.1349', 'a user id goes into "user_id"'],
    ['whatsapp:+447700900123', 'write a plus and 7 to 15 digits, which spaces, dots, hyphens or brackets may part'],
    ['', 'write a plus and 7 to 15 digits, which spaces, dots, hyphens or brackets may part'],
  ] as const) {
    assert.equal(readPhoneNumber(text), undefined, text);
    assert.equal(whyNoNumber(text), why, text);
  }
});
