/** Reads any value as one of a known shape. Throws a `DecodeError` if it has another shape. */
export type Decode<Value> = (value: unknown) => Value;

/** The gateway's answer has a shape that this console does not know: their versions differ. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

export const text: Decode<string> = (value) => {
  if (typeof value === 'string') return value;
  throw new DecodeError('A text was expected.');
};

export const number: Decode<number> = (value) => {
  if (typeof value === 'number') return value;
  throw new DecodeError('A number was expected.');
};

export const flag: Decode<boolean> = (value) => {
  if (typeof value === 'boolean') return value;
  throw new DecodeError('true or false was expected.');
};

export const anything: Decode<unknown> = (value) => value;

/** For an answer without a body. */
export const nothing: Decode<null> = (value) => {
  if (value === null) return value;
  throw new DecodeError('An empty answer was expected.');
};

export function nullable<Value>(decode: Decode<Value>): Decode<Value | null> {
  return (value) => (value === null || value === undefined ? null : decode(value));
}

export function optional<Value>(decode: Decode<Value>): Decode<Value | undefined> {
  return (value) => (value === null || value === undefined ? undefined : decode(value));
}

export function list<Value>(decode: Decode<Value>): Decode<Value[]> {
  return (value) => {
    if (Array.isArray(value)) return value.map((one) => decode(one));
    throw new DecodeError('A list was expected.');
  };
}

/** Members without a decoder are dropped: clients ignore what they do not know. */
export function record<Shape extends Record<string, Decode<unknown>>>(
  shape: Shape,
): Decode<{ [Name in keyof Shape]: ReturnType<Shape[Name]> }> {
  return (value) => {
    const members = membersOf(value);
    const read = Object.entries(shape).map(([name, decode]) => [name, decodeMember(name, decode, members[name])]);
    // Each member was read by the decoder of its name, so the whole has the shape of the decoders' results.
    return Object.fromEntries(read) as { [Name in keyof Shape]: ReturnType<Shape[Name]> };
  };
}

/** The members of an object. Any other value is refused. */
export function membersOf(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new DecodeError('An object was expected.');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function decodeMember(name: string, decode: Decode<unknown>, value: unknown): unknown {
  try {
    return decode(value);
  } catch (error) {
    if (error instanceof DecodeError) throw new DecodeError(`${name}: ${error.message}`);
    throw error;
  }
}
