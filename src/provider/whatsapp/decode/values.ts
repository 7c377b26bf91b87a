import { isRecord } from '../../../kernel/is-record.ts';

/** JSON kept as it came is cut below this depth. The provider's own nests about ten deep; JSON columns have a limit. */
const MAX_DEPTH = 64;
/** The service is younger than 2009 and a time past 2100 is a mistake: such a time is treated as missing. */
const EARLIEST_SECONDS = 1_230_768_000;
const LATEST_SECONDS = 4_102_444_800;
/** Ids of messages have at most 128 characters and our opaque member 512; a database index takes no endless key. */
const ID_CHARACTERS_MAX = 512;

export type JsonObject = Record<string, unknown>;

/** A member that is an object, else an empty one, so that its own members read as missing. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isRecord(value) ? value : {};
}

export function arrayAt(object: JsonObject, name: string): unknown[] {
  const value = object[name];
  return Array.isArray(value) ? value : [];
}

/** A list, or the one object that stands in its place; what is neither is none. */
export function listOrOneAt(object: JsonObject, name: string): unknown[] {
  return isRecord(object[name]) ? [object[name]] : arrayAt(object, name);
}

/** The elements of a list; anything else in its place is one of its own, and null is none. */
export function listAt(object: JsonObject, name: string): unknown[] {
  const value = object[name] ?? [];
  return Array.isArray(value) ? value : [value];
}

/** A text that says something; an empty one counts as missing. */
export function textAt(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? storable(value) : undefined;
}

/** A word of the provider's vocabulary in lower case: it writes some of them in either case. */
export function wordAt(object: JsonObject, name: string): string | undefined {
  return textAt(object, name)?.toLowerCase();
}

/** An id: the provider writes some as strings in one place and as numbers in another, with more digits than we can count with. */
export function idAt(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  const isNumber = Number.isSafeInteger(value) || JSON.isRawJSON(value);
  const id = isNumber ? JSON.stringify(value) : textAt(object, name);
  return id !== undefined && id.length <= ID_CHARACTERS_MAX ? id : undefined;
}

export function integerAt(object: JsonObject, name: string): number | undefined {
  const id = idAt(object, name);
  return id !== undefined && /^-?\d{1,15}$/.test(id) ? Number(id) : undefined;
}

export function booleanAt(object: JsonObject, name: string): boolean | undefined {
  const value = object[name];
  return typeof value === 'boolean' ? value : undefined;
}

/** Unix seconds, as a string or a number. */
export function timeAt(object: JsonObject, name: string): Date | undefined {
  const seconds = integerAt(object, name);
  if (seconds === undefined || seconds < EARLIEST_SECONDS || seconds > LATEST_SECONDS) return undefined;
  return new Date(seconds * 1000);
}

/** JSON as it came, but for what no database stores: U+0000 and lone surrogates are replaced, the too deep is cut. */
export function keptJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((element) => keptJson(element, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [storable(name), keptJson(inner, depth + 1)]));
}

function storable(text: string): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
