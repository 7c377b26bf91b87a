import { Type } from 'typebox';
import { uuidOfBytes } from '../kernel/ids.ts';
import { textOfForm } from './text-of-form.ts';

const LIMIT_DEFAULT = 50;
const LIMIT = /^([1-9][0-9]?|100)$/;
const CURSOR = /^[A-Za-z0-9_-]{22}$/;

/** The two query members that every list has. */
export const PAGE_QUERY = {
  limit: Type.Optional(
    textOfForm(
      { type: 'integer', minimum: 1, maximum: 100, default: LIMIT_DEFAULT, description: 'How many to list.' },
      (text) => LIMIT.test(text),
      () => 'This must be a whole number from 1 to 100.',
    ),
  ),
  cursor: Type.Optional(
    textOfForm(
      { minLength: 1, maxLength: 200, description: 'The `next_cursor` of the page before.' },
      (text) => CURSOR.test(text),
      () => 'This is not a cursor of this API.',
    ),
  ),
};

/** The query of a list that has no filters. */
export const PAGE_SCHEMA = Type.Object(PAGE_QUERY, { additionalProperties: false });

export interface Page {
  limit: number;
  /** The id (a UUID) after which the page begins; null for the first page. */
  before: string | null;
}

/** Reads a query that was checked against `PAGE_QUERY`. */
export function readPage(query: { limit?: string; cursor?: string }): Page {
  const limit = query.limit === undefined ? LIMIT_DEFAULT : Number(query.limit);
  if (query.cursor === undefined) return { limit, before: null };
  return { limit, before: uuidOfBytes(Buffer.from(query.cursor, 'base64url')) };
}

/** Makes the answer of a list. `rows` has one more than the limit if there is a next page; `views` are what is shown of them. */
export function pageOf<Row extends { id: string }, View>(
  rows: readonly Row[],
  { limit }: Page,
  views: readonly View[],
): { data: View[]; next_cursor: string | null } {
  const last = rows[limit - 1];
  const more = rows.length > limit && last !== undefined;
  return {
    data: views.slice(0, limit),
    next_cursor: more ? Buffer.from(last.id.replaceAll('-', ''), 'hex').toString('base64url') : null,
  };
}
