import assert from 'node:assert/strict';
import { createDecipheriv, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createSealer, rememberOpened } from './sealed.ts';

const MASTER_KEY = randomBytes(32);

describe('sealed secrets', () => {
  it('open to what was sealed, in the same context', () => {
    const sealer = createSealer(MASTER_KEY);
    for (const secret of ['', 'a token', 'ünïcödé 🔑', 'x'.repeat(10_000)])
      assert.equal(sealer.open(sealer.seal(secret, 'row 1'), 'row 1'), secret);
  });

  it('are AES-256-GCM: nonce, tag, ciphertext', () => {
    const sealed = createSealer(MASTER_KEY).seal('a token', 'row 1');
    const decipher = createDecipheriv('aes-256-gcm', MASTER_KEY, sealed.subarray(0, 12));
    decipher.setAAD(Buffer.from('row 1')).setAuthTag(sealed.subarray(12, 28));
    assert.equal(decipher.update(sealed.subarray(28), undefined, 'utf8') + decipher.final('utf8'), 'a token');
  });

  it('never look the same twice and do not show what they hold', () => {
    const sealer = createSealer(MASTER_KEY);
    const [one, two] = [sealer.seal('a token', 'row 1'), sealer.seal('a token', 'row 1')];
    assert.notDeepEqual(one, two);
    assert.ok(!one.includes('a token'));
  });

  it('do not open in another context, with another key, or after any change', () => {
    const sealer = createSealer(MASTER_KEY);
    const sealed = sealer.seal('a token', 'row 1');
    assert.throws(() => sealer.open(sealed, 'row 2'));
    assert.throws(() => createSealer(randomBytes(32)).open(sealed, 'row 1'));
    for (let place = 0; place < sealed.length; place++) {
      const changed = Buffer.from(sealed);
      changed[place] = (changed[place] ?? 0) ^ 1;
      assert.throws(() => sealer.open(changed, 'row 1'), `byte ${place}`);
    }
    for (let length = 0; length < sealed.length; length++)
      assert.throws(() => sealer.open(sealed.subarray(0, length), 'row 1'), `${length} bytes`);
  });

  it('need a key of 32 bytes', () => {
    assert.throws(() => createSealer(randomBytes(16)), /32 bytes/);
  });

  it('open the same where they are remembered, also a secret that has changed, and never in another context', () => {
    const sealer = createSealer(MASTER_KEY);
    const open = rememberOpened(sealer, 2);
    const sealed = ['first', 'second', 'third'].map((secret) => sealer.seal(secret, 'row 1'));
    for (const round of [1, 2])
      assert.deepEqual(
        sealed.map((one) => open(one, 'row 1')),
        ['first', 'second', 'third'],
        `${round}`,
      );
    for (const one of sealed) assert.throws(() => open(one, 'row 2'));
  });
});
