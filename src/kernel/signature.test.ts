import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSignedBy, isToken, signBytes } from './signature.ts';

/** RFC 4231, test case 2. */
const BYTES = Buffer.from('what do ya want for nothing?');
const SIGNATURE = 'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';

describe('signatures', () => {
  it('are the HMAC-SHA256 of the bytes in hex', () => {
    assert.equal(signBytes(BYTES, 'Jefe'), SIGNATURE);
  });

  it('are accepted under any of the valid secrets and in either case', () => {
    assert.ok(isSignedBy(BYTES, SIGNATURE, ['new', 'Jefe']));
    assert.ok(isSignedBy(BYTES, `sha256=${SIGNATURE.slice(7).toUpperCase()}`, ['Jefe']));
  });

  it('of other bytes, other secrets or another form are refused', () => {
    assert.ok(!isSignedBy(Buffer.concat([BYTES, Buffer.from(' ')]), SIGNATURE, ['Jefe']));
    assert.ok(!isSignedBy(BYTES, SIGNATURE, ['jefe']));
    assert.ok(!isSignedBy(BYTES, SIGNATURE, []));
    for (const malformed of [
      '',
      'sha256=',
      SIGNATURE.slice(7),
      SIGNATURE.slice(0, -1),
      `${SIGNATURE}0`,
      `${SIGNATURE}\n`,
      SIGNATURE.replace('sha256', 'sha1'),
      SIGNATURE.replace('=5', '=g'),
      `${SIGNATURE.slice(0, -1)}g`,
    ])
      assert.ok(!isSignedBy(BYTES, malformed, ['Jefe']), malformed);
  });
});

describe('tokens', () => {
  it('are right only as a whole', () => {
    assert.ok(isToken('two', ['one', 'two']));
    for (const wrong of ['', 'tw', 'two ', 'TWO', 'one,two']) assert.ok(!isToken(wrong, ['one', 'two']), wrong);
  });
});
