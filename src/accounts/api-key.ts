import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode } from '../kernel/principal.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;

/** What a key of an account looks like. Secret scanners are told the same. */
const API_KEY_PATTERN = /^wp_(live|test)_[0-9A-Za-z]{36}$/;

/** Makes a key: `wp_live_` or `wp_test_`, 30 random characters (about 178 bits), and a checksum of all before it. */
export function mintApiKey(mode: Mode): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => DIGITS[randomInt(DIGITS.length)]).join('');
  const body = `wp_${mode}_${random}`;
  return body + checksum(body);
}

/** Whether form and checksum are right: a mistyped key is refused without a look into the database. */
export function isWellFormedApiKey(key: string): boolean {
  if (!API_KEY_PATTERN.test(key)) return false;
  const body = key.slice(0, -CHECKSUM_CHARACTERS);
  return key.slice(-CHECKSUM_CHARACTERS) === checksum(body);
}

/** What is stored instead of a key. A plain hash will do, because the key itself is random and long. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < CHECKSUM_CHARACTERS; place++) {
    text = DIGITS[rest % DIGITS.length] + text;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}
