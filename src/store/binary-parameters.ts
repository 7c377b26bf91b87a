import { type BinaryType, isBinaryType } from './binary-array.ts';

/** The parameters of a statement, by their numbers, whose arrays it takes in PostgreSQL's binary form. */
export type BinaryParameters = ReadonlyMap<number, BinaryType>;

const CAST = /\$(\d+)::(\w+)(\[\])?/g;

/**
 * Finds the parameters that a statement casts to an array of such a type, and nowhere to anything else: PostgreSQL gives a parameter
 * the type of the first cast that it meets, and the bytes are right for that type only.
 */
export function findBinaryParameters(sql: string): BinaryParameters {
  const casts = [...sql.matchAll(CAST)].map(([, number, type = '', array]) => {
    return { number: Number(number), type: array !== undefined && isBinaryType(type) ? type : undefined };
  });
  const found = new Map<number, BinaryType>();
  for (const [number, ofOne] of Map.groupBy(casts, (cast) => cast.number)) {
    const [type, ...others] = new Set(ofOne.map((cast) => cast.type));
    if (type !== undefined && others.length === 0) found.set(number, type);
  }
  return found;
}
