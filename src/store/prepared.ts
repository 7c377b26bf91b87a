import { createHash } from 'node:crypto';
import { arrayText } from './array-text.ts';
import { type BinaryType, binaryArray } from './binary-array.ts';
import { type BinaryParameters, findBinaryParameters } from './binary-parameters.ts';
import { noteRolledBack } from './rolled-back.ts';

/** A statement as the driver takes it. Without a name it is not prepared. */
export interface Statement {
  text: string;
  name?: string;
  values?: unknown[];
}

const known = new Map<string, { name: string; binary: BinaryParameters }>();

/** The name is made from the text. So it is the same in every process, and a pooler can share prepared statements among them. */
export function prepared(sql: string, values: readonly unknown[] = []): Statement {
  let statement = known.get(sql);
  if (statement === undefined) {
    const name = createHash('sha256').update(sql).digest('base64url').slice(0, 20);
    statement = { name, binary: findBinaryParameters(sql) };
    known.set(sql, statement);
  }
  const { name, binary } = statement;
  try {
    const written = values.map((value, place) =>
      Array.isArray(value) ? writeArray(value, binary.get(place + 1)) : value,
    );
    return { name, text: sql, values: written };
  } catch (error) {
    // Nothing of this statement has reached the database.
    noteRolledBack(error);
    throw error;
  }
}

function writeArray(items: readonly unknown[], type: BinaryType | undefined): Buffer | string {
  return (type === undefined ? undefined : binaryArray(type, items)) ?? arrayText(items);
}
