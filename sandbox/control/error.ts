import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { parseJson } from '../read-json.ts';

/** A control call that cannot be carried out, and why. */
export class ControlError extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** Reads the body of a control call; one of another shape is the caller's error. */
export function readBody<Schema extends TSchema>(schema: Schema, text: string): Static<Schema> {
  const body = parseJson(text);
  if (Check(schema, body)) return body;
  const [, [fault]] = Errors(schema, body);
  const where = fault === undefined ? '' : `: #${fault.instancePath} ${fault.message}`;
  throw new ControlError(422, `The body of this call does not have the shape that it must have${where}.`);
}
