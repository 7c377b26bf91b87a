import { randomFillSync } from 'node:crypto';
import { fromString, toUUIDBytes } from 'typeid-js';
import { v7 } from 'uuid';

/** The prefix of every kind of id that callers see. Inside, and in the database, an id is the bare UUID. */
export type IdPrefix = 'req' | 'msg' | 'chn' | 'key' | 'evt' | 'end' | 'att' | 'tpl' | 'ntf' | 'aud';

/** Sorts before every id. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';
/** Sorts after every id. */
export const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A UUID in TypeID's base 32: 26 digits, the first of them no larger than 7, which is all that 128 bits can hold. */
const TYPE_ID_SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** A UUID in the lower-case form that account ids have. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Asking for random bytes costs more than making an id of them, so many are asked for at once. */
const random = new Uint8Array(4_096);
let randomUsed = random.length;
let lastMs = 0;
let sequence = 0;
/** A clock that steps back by more than this was wrong before, and ids must tell the right time again at once. */
const STEP_BACK_MAX_MS = 60_000;

/**
 * A new UUIDv7. Within one process each is greater than the one before, so ids sort in the order they were made; unless the
 * clock was set back by more than a minute in between.
 */
export function newId(): string {
  const nowMs = Date.now();
  const bytes = sixteenRandomBytes();
  // A clock that steps back a little must not change the order.
  if (nowMs > lastMs || nowMs < lastMs - STEP_BACK_MAX_MS) {
    lastMs = nowMs;
    // Anywhere in the lower half: ids of two processes differ in it too, and there is room to count up.
    sequence = Buffer.from(bytes.buffer, bytes.byteOffset, 4).readUInt32BE() >>> 1;
  } else sequence += 1;
  return v7({ msecs: lastMs, seq: sequence, random: bytes });
}

function sixteenRandomBytes(): Uint8Array {
  if (randomUsed === random.length) {
    randomFillSync(random);
    randomUsed = 0;
  }
  randomUsed += 16;
  return random.subarray(randomUsed - 16, randomUsed);
}

const BASE_32 = '0123456789abcdefghjkmnpqrstvwxyz';
/** Two digits of base 32 for each ten bits. */
const DIGIT_PAIRS = Array.from({ length: 1_024 }, (_, bits) => `${BASE_32[bits >> 5]}${BASE_32[bits & 31]}`);
/** Where a UUID's text has its hexadecimal digits. */
const HEX_PLACES = Array.from(NIL_UUID.matchAll(/0/g), ({ index }) => index);
/** The value of a hexadecimal digit, by its code. */
const HEX_VALUES = new Uint8Array(128);
for (const [value, digit] of [...'0123456789abcdef'].entries()) HEX_VALUES[digit.charCodeAt(0)] = value;

/**
 * Writes a UUID in lower case as a TypeID, such as `msg_01h455vb4pex5vsknk084sn02q`. Not by the library, which takes four times as
 * long: a message to one of 50 recipients has its id written twice, and that was 6 % of its whole cost here.
 */
export function formatId(prefix: IdPrefix, uuid: string): string {
  let text = `${prefix}_`;
  // 26 digits have room for two bits more than there are, which are zero and come first.
  let bitsHeld = 2;
  let bits = 0;
  for (const place of HEX_PLACES) {
    bits = (bits << 4) | (HEX_VALUES[uuid.charCodeAt(place)] ?? 0);
    bitsHeld += 4;
    if (bitsHeld < 10) continue;
    bitsHeld -= 10;
    text += DIGIT_PAIRS[(bits >> bitsHeld) & 1_023];
  }
  return text;
}

/** Reads a TypeID of that prefix; undefined if it is missing or malformed, which callers treat as not found. */
export function parseId(prefix: IdPrefix, text: string | undefined): string | undefined {
  if (text === undefined || !text.startsWith(`${prefix}_`) || !TYPE_ID_SUFFIX.test(text.slice(prefix.length + 1)))
    return undefined;
  // By the bytes, because the library's own conversion to text throws at a UUID without a version.
  return uuidOfBytes(toUUIDBytes(fromString(text, prefix)));
}

/** The text of a UUID; `bytes` are its 16. */
export function uuidOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The time in a UUIDv7, in milliseconds since 1970. */
export function idTimeMs(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

/** The smallest UUIDv7 of a time in milliseconds since 1970: a bound for ranges of ids, such as weeks and `since` filters. */
export function firstIdOfMs(timeMs: number): string {
  const hex = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
