import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseKeepingDigits } from './json-digits.ts';

describe('parsing JSON that is passed on', () => {
  it('writes every whole number again with the digits that it had', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), fc.string(), (number, text) => {
        const json = `{"id":${number},"list":[${number},{"in":${number}}],"text":${JSON.stringify(text)}}`;
        assert.equal(JSON.stringify(parseKeepingDigits(json)), json);
      }),
    );
    // The first of them beyond what a number holds, and the last with as many digits.
    for (const json of ['[9007199254740993]', '{"id":-9999999999999999}'])
      assert.equal(JSON.stringify(parseKeepingDigits(json)), json);
  });

  it('gives all else as it is parsed anyway', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        assert.deepEqual(JSON.stringify(parseKeepingDigits(`[${json}]`)), JSON.stringify(JSON.parse(`[${json}]`)));
      }),
    );
    for (const json of ['[1234567890123456789', '{12345678901234567890:1}', ''])
      assert.throws(() => parseKeepingDigits(json), SyntaxError);
  });

  it('rounds what is not written as a whole number: the database takes only so many digits behind a point', () => {
    for (const number of ['12345678901234567.5', `12345678901234567.${'0'.repeat(20_000)}`, '12345678901234567e3'])
      assert.equal(JSON.stringify(parseKeepingDigits(`[${number}]`)), JSON.stringify([Number(number)]));
  });

  it('leaves a number that is too large for a double infinite, so that it can be told', () => {
    assert.deepEqual(parseKeepingDigits(`[${'9'.repeat(400)}]`), [Number.POSITIVE_INFINITY]);
  });

  it('is not ended by any depth', () => {
    const value = parseKeepingDigits(`[12345678901234567890,${'['.repeat(400_000)}${']'.repeat(400_000)}]`);
    assert.ok(Array.isArray(value));
    assert.equal(value.length, 2);
  });
});
