import { type TSchema, type TSchemaOptions, Type } from 'typebox';
import type { IdPrefix } from '../kernel/ids.ts';
import { EXAMPLE } from './examples.ts';

/** Where the shared schemas of the API description stand. */
export const SHARED_SCHEMAS = '#/components/schemas/';

/** The body or query of a route that takes no member. */
export const NO_MEMBERS = Type.Object({}, { additionalProperties: false });

/** A shared schema of the API description, by its name. A name that no slice has fails when the description is made. */
export function ref(name: string, description?: string): TSchema {
  return Type.Unsafe({ $ref: SHARED_SCHEMAS + name, ...(description !== undefined && { description }) });
}

/** An object of an answer. It says nothing of further members, because later versions may add some. */
export function answer(description: string, members: Record<string, TSchema>, example?: unknown): TSchema {
  return Type.Object(members, { description, ...examples(example) });
}

/** One of several shared schemas, by the word in one of their members: so programs that are generated can tell them apart. */
export function byWord(description: string, member: string, names: Readonly<Record<string, string>>): TSchema {
  const mapping = Object.entries(names).map(([word, name]) => [word, SHARED_SCHEMAS + name]);
  return Type.Unsafe({
    description,
    oneOf: [...new Set(Object.values(names))].map((name) => ref(name)),
    discriminator: { propertyName: member, mapping: Object.fromEntries(mapping) },
  });
}

/** A page of a list. */
export function listOf(name: string): TSchema {
  return answer('One page of a list.', {
    data: Type.Array(ref(name), {
      description: 'At most `limit` items. There may be fewer although more follow: `next_cursor` tells.',
    }),
    next_cursor: orNull(text('The `cursor` of the next page; null on the last one.')),
  });
}

export function text(description: string, options: TSchemaOptions = {}): TSchema {
  return Type.String({ ...options, description });
}

export function flag(description: string): TSchema {
  return Type.Boolean({ description });
}

export function count(description: string, example?: number): TSchema {
  return Type.Integer({ minimum: 0, description, ...examples(example) });
}

export function word(description: string, words: readonly string[]): TSchema {
  return Type.Unsafe({ type: 'string', enum: words, description });
}

export function time(description: string, example?: string): TSchema {
  return Type.String({ format: 'date-time', description, ...examples(example) });
}

/** One of our ids, such as `msg_01h455vb4pex5vsknk084sn02q`. */
export function idOf(prefix: IdPrefix, description: string, example?: string): TSchema {
  return Type.String({ pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, description, ...examples(example) });
}

export function accountId(description = 'The account it belongs to.'): TSchema {
  return Type.String({ format: 'uuid', description, examples: [EXAMPLE.accountId] });
}

/** What may have no value; the description moves outside, where readers look for it. */
export function orNull(schema: TSchema): TSchema {
  const { description, ...bare } = { description: undefined, ...schema };
  return Type.Union([Type.Unsafe(bare), Type.Null()], description === undefined ? {} : { description });
}

function examples(example: unknown) {
  return example === undefined ? {} : { examples: [example] };
}
