import { Type } from 'typebox';

/** What the API description says of such a text. */
interface Described {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  description: string;
}

/** The same for a number, which is a text in a query. */
interface DescribedNumber {
  type: 'integer';
  minimum: number;
  maximum?: number;
  default?: number;
  maxLength?: never;
  description: string;
}

/**
 * A text whose form is checked by code (`holds`). Its length is checked with it, so that one cause has one sentence: `holds` must be
 * false for a text that is too short. `detailOf` says what is wrong with a text whose form does not hold.
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
