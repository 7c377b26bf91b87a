import { Type } from 'typebox';

/** What the description of the API tells of such a text. */
interface Described {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  description: string;
}

/** The same of a number, which is a text in a query. */
interface DescribedNumber {
  type: 'integer';
  minimum: number;
  maximum?: number;
  default?: number;
  maxLength?: never;
  description: string;
}

/**
 * A text whose form is looked at by code. Its length is a part of the form, so that one cause has one sentence; `holds` must be
 * false for what is too short. `detailOf` tells what is wrong with a text that does not hold.
 */
export function textOfForm(
  described: Described | DescribedNumber,
  holds: (text: string) => boolean,
  detailOf: (text: string) => string,
) {
  const { maxLength = Number.POSITIVE_INFINITY } = described;
  return Type.Refine(
    Type.String({ describedAs: { type: 'string', ...described } }),
    (text) => text.length <= maxLength && holds(text),
    detailOf,
  );
}
