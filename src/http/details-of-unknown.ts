import type { TSchema } from 'typebox';
import { unknownName } from '../kernel/unknown-name.ts';
import type { SchemaFault } from './check-schema.ts';
import { wayOf } from './way-of.ts';

/** What is told of each name that a schema does not know, by the path of the validator. */
export function detailsOfUnknown(
  what: 'member' | 'parameter',
  schema: TSchema,
  faults: readonly SchemaFault[],
): ReadonlyMap<string, string> {
  const unknown = Map.groupBy(faults.filter(isUnknown), ({ instancePath }) => instancePath);
  const details = new Map<string, string>();
  for (const [path, told] of unknown) {
    const known = new Set(told.flatMap(({ schemaPath }) => knownAt(schema, schemaPath)));
    details.set(path, unknownName(what, [...known], details.size));
  }
  return details;
}

/** The validator meets the schema `false` at each name that an object may not have. */
function isUnknown({ keyword }: SchemaFault): boolean {
  return keyword === 'boolean';
}

function knownAt(schema: TSchema, schemaPath: string): string[] {
  const way = wayOf(schemaPath).slice(0, -1);
  const object = way.reduce<unknown>((at, name) => Reflect.get(Object(at), name), schema);
  return Object.keys(Object(Reflect.get(Object(object), 'properties')));
}
