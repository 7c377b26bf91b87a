import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { createPersonMark } from './person-mark.ts';

it('what stands for a person in the audit log cannot be found by trying all numbers without the master key', () => {
  const masterKey = randomBytes(32);
  const markWith = (key: Buffer) => createPersonMark(key)('01890a5d-ac96-774b-bcce-b302099a8057', '+447700900771');
  assert.equal(markWith(masterKey), markWith(Buffer.from(masterKey)));
  assert.notEqual(markWith(masterKey), markWith(randomBytes(32)));
});
