import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isSignedBy, signBytes } from '../../../src/kernel/signature.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { postSigned } from '../../support/notifications.ts';
import type { FuzzTarget } from '../target.ts';

const header = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCharacter }),
  fc.stringMatching(/^sha256=[0-9a-fA-F]{62,66}$/),
  fc.stringMatching(/^(sha1|SHA256|sha256 )=[0-9a-f]{64}$/),
);
const bytes = fc.uint8Array({ maxLength: 100 }).map((list) => Buffer.from(list));

/** Only the right signature passes, with its digits in upper or lower case. Nothing throws. */
export const signatureTarget: FuzzTarget = {
  name: 'the signature header',
  property: () =>
    fc.property(bytes, header, fc.string({ minLength: 1 }), fc.nat(), (body, given, secret, place) => {
      const right = signBytes(body, secret);
      assert.equal(isSignedBy(body, given, [secret]), given.toLowerCase() === right && given.startsWith('sha256='));
      assert.ok(isSignedBy(body, `sha256=${right.slice(7).toUpperCase()}`, ['another', secret]));
      const at = 7 + (place % 64);
      const spoilt = right.slice(0, at) + (right[at] === '0' ? '1' : '0') + right.slice(at + 1);
      assert.ok(!isSignedBy(body, spoilt, [secret]));
    }),
};

/** Headers with characters that are allowed. The client refuses to send others. */
const sendable = header.filter((text) => /^[\x20-\x7e\x80-\xff]*$/.test(text));

/** Over HTTP: whatever the header is, the answer is 401, nothing is stored, and no signature is shown. */
export const signatureOverHttpTarget: FuzzTarget = {
  name: 'the signature header over HTTP',
  property: (gateway) =>
    fc.asyncProperty(bytes, sendable, async (body, given) => {
      const headers = { 'x-hub-signature-256': given };
      const answer = await postSigned({ url: gateway.url, secret: 'wrong' }, body, headers);
      assert.equal(answer.status, 401, answer.text);
      assert.equal(answer.json.code, 'invalid_signature');
      assert.doesNotMatch(answer.text, /[0-9a-f]{64}/);
    }),
};
