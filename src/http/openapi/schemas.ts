import { isRecord } from '../../kernel/is-record.ts';
import { SHARED_SCHEMAS } from '../schema-words.ts';

export type JsonObject = Record<string, unknown>;

/** The shared schemas of a description, while it is made. */
export interface Shared {
  /** The schema as it stands in the description: by reference, if it gets a name of its own here. */
  take(schema: unknown, name?: string): JsonObject;
  /** Examples of it: its own, else one put together of those of its parts. Throws where there is none. */
  examplesOf(schema: unknown): unknown[];
  /** All that are referred to, by name. Throws if one is missing. */
  all(): JsonObject;
}

/** `known`: the schemas of the slices, by their names. */
export function createShared(known: Readonly<Record<string, unknown>>): Shared {
  const taken = new Map(Object.entries(known).map(([name, schema]) => [name, clean(schema)]));
  const find = (name: string): unknown => {
    if (!taken.has(name)) throw new Error(`No slice has a schema named ${name}`);
    return taken.get(name);
  };
  return {
    take(schema, name) {
      const cleaned = clean(schema);
      if (name === undefined || '$ref' in cleaned) return cleaned;
      if (taken.has(name)) throw new Error(`There are two schemas named ${name}`);
      taken.set(name, cleaned);
      return { $ref: SHARED_SCHEMAS + name };
    },
    examplesOf: (schema) => examplesOf(clean(schema), find),
    all() {
      for (const schema of taken.values()) for (const name of namesIn(schema)) find(name);
      return Object.fromEntries([...taken].sort(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}

/** What JSON would keep of it, as callers should know it: `describedAs` stands for what is checked otherwise. */
function clean(schema: unknown): JsonObject {
  const cleaned: unknown = JSON.parse(JSON.stringify(schema, (_, value: unknown) => inOneType(asDescribed(value))));
  if (!isRecord(cleaned)) throw new Error('A schema is an object');
  return cleaned;
}

function asDescribed(value: unknown): unknown {
  return isRecord(value) ? (value.describedAs ?? value) : value;
}

/**
 * What is of one type or null says so in its `type`. Of a union, generators of types make a name for each side, such as `ChannelNameAnyOf`.
 * Words stay a union, because null would have to be one of them.
 */
function inOneType(value: unknown): unknown {
  if (!isRecord(value) || !Array.isArray(value.anyOf)) return value;
  const { anyOf, ...outside } = value;
  const [schema, nothing, ...more] = anyOf.map(asDescribed);
  if (!isRecord(schema) || !isNull(nothing) || more.length > 0) return value;
  if (typeof schema.type !== 'string' || 'enum' in schema || 'const' in schema) return value;
  return { ...schema, ...outside, type: [schema.type, 'null'] };
}

type Find = (name: string) => unknown;

function examplesOf(schema: unknown, find: Find): unknown[] {
  if (!isRecord(schema)) throw new Error('A schema is an object');
  const { examples, $ref, anyOf, oneOf, properties, items, type, enum: words } = schema;
  if (Array.isArray(examples)) return examples;
  if ('const' in schema) return [schema.const];
  if (typeof $ref === 'string') return examplesOf(find(nameOf($ref)), find);
  if (Array.isArray(words)) return words.slice(0, 1);
  if (Array.isArray(anyOf)) return anyOf.some(isNull) ? [null] : examplesOf(anyOf[0], find);
  if (Array.isArray(oneOf)) return examplesOf(oneOf[0], find);
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return [null];
  if (type === 'array') return [examplesOf(items, find)];
  if (isRecord(properties))
    return [Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, examplesOf(part, find)[0]]))];
  throw new Error(`There is no example of ${JSON.stringify(schema)}`);
}

function isNull(schema: unknown): boolean {
  return isRecord(schema) && schema.type === 'null';
}

function nameOf($ref: string): string {
  return $ref.slice(SHARED_SCHEMAS.length);
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string' ? [nameOf(part)] : namesIn(part),
  );
}
