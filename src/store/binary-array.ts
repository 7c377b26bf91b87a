/** The types whose arrays go to the store in bytes: reading their texts took a seventh of what an outcome costs it. */
export type BinaryType = 'uuid' | 'timestamptz';

/** As in `pg_type`, and fixed for all versions. */
const TYPE_OIDS: Record<BinaryType, number> = { uuid: 2950, timestamptz: 1184 };
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const ELEMENT_BYTES_MAX = 16;

/**
 * Writes an array in PostgreSQL's binary form, which is that of `array_send` in its sources: dimensions, whether there are
 * nulls, the type, the length, the first place; and each element behind its own length. undefined: something in it is
 * neither null nor an id in its usual form or a time of these two millennia, and goes better as a text.
 */
export function binaryArray(type: BinaryType, items: readonly unknown[]): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + items.length * (LENGTH_BYTES + ELEMENT_BYTES_MAX));
  const write = type === 'uuid' ? writeUuid : writeTime;
  let end = HEADER_BYTES;
  let nulls = 0;
  let last: unknown;
  let lastStart = end;
  for (const item of items) {
    const start = end;
    if (item === null || item === undefined) {
      nulls = 1;
      end = bytes.writeInt32BE(-1, start);
      continue;
    }
    // What is written together is often of one account, one request and one moment.
    if (item === last) {
      bytes.copyWithin(start, lastStart, lastStart + LENGTH_BYTES + ELEMENT_BYTES_MAX);
      end += LENGTH_BYTES + bytes.readInt32BE(start);
      continue;
    }
    const length = write(bytes, item, start + LENGTH_BYTES);
    if (length === 0) return undefined;
    end = bytes.writeInt32BE(length, start) + length;
    last = item;
    lastStart = start;
  }
  bytes.writeInt32BE(items.length === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(nulls, 4);
  bytes.writeInt32BE(TYPE_OIDS[type], 8);
  bytes.writeInt32BE(items.length, 12);
  bytes.writeInt32BE(1, 16);
  // An empty array has no dimension, and so neither length nor first place.
  return bytes.subarray(0, items.length === 0 ? 12 : end);
}

const DASH = 0x2d;
const UUID_LENGTH = 36;
/** Where the digits of each byte begin. */
const PAIRS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
/** The value of each digit by its code, and -1 for what is none. */
const DIGITS = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) DIGITS[digit.charCodeAt(0)] = value;
/** Room for the longest text of as many characters: bytes are read faster one by one than characters. */
const text = Buffer.alloc(UUID_LENGTH * 3);

/** Returns how many bytes it has written; 0: this is no UUID in lower case. */
function writeUuid(bytes: Buffer, item: unknown, start: number): number {
  if (typeof item !== 'string' || item.length !== UUID_LENGTH || text.write(item) !== UUID_LENGTH) return 0;
  if (text[8] !== DASH || text[13] !== DASH || text[18] !== DASH || text[23] !== DASH) return 0;
  let wrong = 0;
  let at = start;
  for (const place of PAIRS) {
    const high = DIGITS[text[place] ?? 0] ?? -1;
    const low = DIGITS[text[place + 1] ?? 0] ?? -1;
    // Stays negative once a digit was.
    wrong |= high | low;
    bytes[at++] = (high << 4) | low;
  }
  return wrong < 0 ? 0 : ELEMENT_BYTES_MAX;
}

/** PostgreSQL counts microseconds since the year 2000. */
const EPOCH_MS = Date.UTC(2000, 0);
const TIME_MIN_MS = Date.parse('0001-01-01T00:00:00Z');
/** In between a double holds the microseconds of every millisecond exactly: as multiples of 8, up to 2^56. */
const TIME_MAX_MS = Date.parse('4000-01-01T00:00:00Z');
const HIGH_WORD = 2 ** 32;

/** Returns how many bytes it has written; 0: this is no time, or too far away. */
function writeTime(bytes: Buffer, item: unknown, start: number): number {
  const timeMs = item instanceof Date ? item.getTime() : Number.NaN;
  if (!(timeMs >= TIME_MIN_MS && timeMs <= TIME_MAX_MS)) return 0;
  const micros = (timeMs - EPOCH_MS) * 1_000;
  const high = Math.floor(micros / HIGH_WORD);
  bytes.writeInt32BE(high, start);
  bytes.writeUInt32BE(micros - high * HIGH_WORD, start + 4);
  return 8;
}
