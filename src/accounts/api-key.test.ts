import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isWellFormedApiKey, mintApiKey } from './api-key.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('API keys', () => {
  it('carry the CRC-32 of what is before it in base 62', () => {
    assert.equal(crc32('123456789'), 0xcbf43926, 'the check value of ISO-HDLC');
    for (const mode of ['live', 'test'] as const)
      for (let count = 0; count < 200; count++) {
        const key = mintApiKey(mode);
        assert.match(key, /^wp_(live|test)_[0-9A-Za-z]{36}$/);
        assert.ok(key.startsWith(`wp_${mode}_`) && key.length === 44, key.length.toString());
        assert.equal(key.slice(-6), inBase62(crc32(key.slice(0, -6))));
        assert.ok(isWellFormedApiKey(key));
      }
  });

  it('are never the same twice', () => {
    assert.equal(new Set(Array.from({ length: 1_000 }, () => mintApiKey('test'))).size, 1_000);
  });

  it('that are mistyped are noticed: any one character, any two neighbours swapped', () => {
    const key = mintApiKey('live');
    for (let place = 0; place < key.length; place++) {
      const [before, own = '', after] = [key.slice(0, place), key[place], key.slice(place + 1)];
      for (const digit of DIGITS) if (digit !== own) assert.ok(!isWellFormedApiKey(before + digit + after));
      const swapped = before + (after[0] ?? '') + own + after.slice(1);
      if (swapped !== key) assert.ok(!isWellFormedApiKey(swapped), `${place}`);
      assert.ok(!isWellFormedApiKey(before + after));
      assert.ok(!isWellFormedApiKey(before + own + own + after));
    }
    for (const other of ['', 'wp_root_x', ` ${key}`, `${key}\n`, key.toLowerCase(), key.replace('live', 'test')])
      assert.ok(!isWellFormedApiKey(other));
  });
});

/** Bit by bit, by the definition: polynomial 0x04C11DB7, reflected. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function inBase62(value: number): string {
  const digits = [5, 4, 3, 2, 1, 0].map((power) => DIGITS[Math.floor(value / 62 ** power) % 62]);
  return digits.join('');
}
