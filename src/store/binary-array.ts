/** The types whose arrays go to the store as bytes: reading them from text was a fifth of what an outcome or a report costs the store. */
export type BinaryType = keyof typeof ELEMENTS;

/** How the elements of a type are written. */
interface Element {
  /** As in `pg_type`, and fixed for all versions. */
  oid: number;
  /** At least as many bytes as the element takes. */
  room(item: unknown): number;
  /** Returns how many bytes it has written, or NOT_WRITABLE. */
  write(bytes: Buffer, item: unknown, start: number): number;
}

const ELEMENTS = {
  uuid: { oid: 2950, room: () => 16, write: writeUuid },
  timestamptz: { oid: 1184, room: () => 8, write: writeTime },
  bytea: { oid: 17, room: (item) => (Buffer.isBuffer(item) ? item.length : 0), write: writeBytes },
  jsonb: { oid: 3802, room: (item) => 1 + (typeof item === 'string' ? Buffer.byteLength(item) : 0), write: writeJson },
} satisfies Record<string, Element>;

export function isBinaryType(type: string): type is BinaryType {
  return Object.hasOwn(ELEMENTS, type);
}

const NOT_WRITABLE = -1;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * Writes an array in PostgreSQL's binary form, which is that of `array_send` in its sources: dimensions, whether there are
 * nulls, the type, the length, the first place; and each element behind its own length. undefined: something in it is
 * neither null nor an id in its usual form, a time of these two millennia, bytes or a JSON text, and goes better as a text.
 */
export function binaryArray(type: BinaryType, items: readonly unknown[]): Buffer | undefined {
  const { oid, room, write }: Element = ELEMENTS[type];
  let size = HEADER_BYTES;
  for (const item of items) size += LENGTH_BYTES + room(item);
  const bytes = Buffer.allocUnsafe(size);
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
      end += bytes.copy(bytes, start, lastStart, lastStart + LENGTH_BYTES + bytes.readInt32BE(lastStart));
      continue;
    }
    const length = write(bytes, item, start + LENGTH_BYTES);
    if (length === NOT_WRITABLE) return undefined;
    end = bytes.writeInt32BE(length, start) + length;
    last = item;
    lastStart = start;
  }
  bytes.writeInt32BE(items.length === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(nulls, 4);
  bytes.writeInt32BE(oid, 8);
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

/** Of UUIDs in lower case. */
function writeUuid(bytes: Buffer, item: unknown, start: number): number {
  if (typeof item !== 'string' || item.length !== UUID_LENGTH || text.write(item) !== UUID_LENGTH) return NOT_WRITABLE;
  if (text[8] !== DASH || text[13] !== DASH || text[18] !== DASH || text[23] !== DASH) return NOT_WRITABLE;
  let wrong = 0;
  let at = start;
  for (const place of PAIRS) {
    const high = DIGITS[text[place] ?? 0] ?? -1;
    const low = DIGITS[text[place + 1] ?? 0] ?? -1;
    // Stays negative once a digit was.
    wrong |= high | low;
    bytes[at++] = (high << 4) | low;
  }
  return wrong < 0 ? NOT_WRITABLE : 16;
}

/** PostgreSQL counts microseconds since the year 2000. */
const EPOCH_MS = Date.UTC(2000, 0);
const TIME_MIN_MS = Date.parse('0001-01-01T00:00:00Z');
/** In between a double holds the microseconds of every millisecond exactly: as multiples of 8, up to 2^56. */
const TIME_MAX_MS = Date.parse('4000-01-01T00:00:00Z');
const HIGH_WORD = 2 ** 32;

function writeTime(bytes: Buffer, item: unknown, start: number): number {
  const timeMs = item instanceof Date ? item.getTime() : Number.NaN;
  if (!(timeMs >= TIME_MIN_MS && timeMs <= TIME_MAX_MS)) return NOT_WRITABLE;
  const micros = (timeMs - EPOCH_MS) * 1_000;
  const high = Math.floor(micros / HIGH_WORD);
  bytes.writeInt32BE(high, start);
  bytes.writeUInt32BE(micros - high * HIGH_WORD, start + 4);
  return 8;
}

function writeBytes(bytes: Buffer, item: unknown, start: number): number {
  return Buffer.isBuffer(item) ? item.copy(bytes, start) : NOT_WRITABLE;
}

/** The version of the form, and then the text itself, whose quotes need no escaping here. */
function writeJson(bytes: Buffer, item: unknown, start: number): number {
  if (typeof item !== 'string') return NOT_WRITABLE;
  bytes[start] = 1;
  return 1 + bytes.write(item, start + 1);
}
