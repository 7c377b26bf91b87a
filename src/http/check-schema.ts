import type { TSchema } from 'typebox';
// Not 'typebox/compile', which loads 146 files more, for what is not used here.
import { Compile } from 'typebox/schema';
import { Settings } from 'typebox/system';
import type { Fault, PointerFault } from '../kernel/errors.ts';
import { jsonFaults } from '../kernel/json-faults.ts';
import { pointerTo } from '../kernel/json-pointer.ts';
import { detailsOfUnknown } from './details-of-unknown.ts';
import { wayOf } from './way-of.ts';

/**
 * All faults are told at once, and the validator stops at eight unless it is told otherwise. There must be a bound, because a body can be
 * made to hold some hundred thousand. For one cause the validator reports up to three faults.
 */
Settings.Set({ maxErrors: 300 });

/** The types of JSON Schema, as a person calls them. */
const KINDS: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

/** What a validator of typebox says about one fault; the words are those of JSON Schema's keywords. */
export interface SchemaFault {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  message: string;
  params: unknown;
}

/** Makes a check that finds every fault of a body, each with its pointer. */
export function createBodyCheck(schema: TSchema): (value: unknown) => PointerFault[] {
  return createCheck(schema, 'member');
}

function createCheck(schema: TSchema, what: 'member' | 'parameter'): (value: unknown) => PointerFault[] {
  const validator = Compile(schema);
  return (value) => [
    ...jsonFaults(value),
    ...(validator.Check(value) ? [] : readFaults(validator.Errors(value)[1], what, schema)),
  ];
}

/** The same for a query, whose faults are named by parameter. */
export function createQueryCheck(schema: TSchema): (value: unknown) => Fault[] {
  const check = createCheck(schema, 'parameter');
  const known: object = Object(Reflect.get(schema, 'properties'));
  return (value) =>
    eachOnce(
      check(value).map(({ pointer, detail }) => {
        const parameter = parameterOf(pointer);
        const isTwice = Object.hasOwn(known, parameter) && isGivenTwice(value, parameter);
        return { parameter, detail: isTwice ? 'This parameter is given more than once.' : detail };
      }),
    );
}

/** A parameter given twice arrives as an array. What the schema says of that is about a list, which nobody has given. */
function isGivenTwice(query: unknown, parameter: string): boolean {
  return Array.isArray(Reflect.get(Object(query), parameter));
}

function parameterOf(pointer: string): string {
  return wayOf(decodeURIComponent(pointer))[0] ?? '';
}

function readFaults(errors: readonly SchemaFault[], what: 'member' | 'parameter', schema: TSchema): PointerFault[] {
  // Unknown members are reported one by one (each as a schema that is `false`), and after that once more together, which comes too
  // late where there are more of them than the bound. What a condition (`if`) demands is reported by itself, too.
  const told = errors.filter(({ keyword }) => keyword !== 'additionalProperties' && keyword !== 'if');
  const one = oneOfEachUnion(told);
  const unknown = detailsOfUnknown(what, schema, one);
  const faults = one.flatMap((error) =>
    pointersOf(error).map((pointer) => ({ pointer, detail: unknown.get(error.instancePath) ?? sentence(error) })),
  );
  // What has no fault is taken for valid.
  if (faults.length === 0) throw new Error('A value that is not valid has no fault that could be told');
  return eachOnce(faults);
}

/** Several parts of a schema may find the same. */
function eachOnce<Told extends object>(faults: readonly Told[]): Told[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

/**
 * For a value that fits no schema of a union, the validator reports the faults against all of them, and one fault for the union. If some of
 * these schemas have the value's type, their faults tell what is wrong; if none has, the type is what is wrong.
 */
function oneOfEachUnion(errors: readonly SchemaFault[]): SchemaFault[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf');
  return unions.reduce<SchemaFault[]>(
    (faults, union) => {
      const inUnion = faults.filter(
        ({ schemaPath, instancePath }) =>
          schemaPath.startsWith(`${union.schemaPath}/anyOf/`) &&
          (instancePath === union.instancePath || instancePath.startsWith(`${union.instancePath}/`)),
      );
      const types = inUnion.filter((fault) => fault.keyword === 'type' && fault.instancePath === union.instancePath);
      if (types.length === 0) return faults;
      const wrongType = { ...union, keyword: 'type', message: `must be ${types.map(kindOf).join(' or ')}` };
      const left = faults.filter((fault) => !types.includes(fault));
      return left.flatMap((fault) => (fault !== union ? [fault] : types.length === inUnion.length ? [wrongType] : []));
    },
    [...errors],
  );
}

function pointersOf({ keyword, instancePath, params }: SchemaFault): string[] {
  const way = wayOf(instancePath);
  const names: unknown = keyword === 'required' ? Reflect.get(Object(params), 'requiredProperties') : undefined;
  return Array.isArray(names) ? names.map((name) => pointerTo([...way, String(name)])) : [pointerTo(way)];
}

function sentence({ keyword, message, params }: SchemaFault): string {
  if (keyword === 'required') return 'This member is missing.';
  if (keyword === '~refine') return message;
  if (Reflect.get(Object(params), 'format') === 'date-time')
    return 'The value must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.';
  const allowed: unknown = Reflect.get(Object(params), 'allowedValues');
  if (Array.isArray(allowed)) return `The value must be one of ${allowed.join(', ')}.`;
  if (keyword === 'type' && typeof Reflect.get(Object(params), 'type') === 'string')
    return `The value must be ${kindOf({ params })}.`;
  return `The value ${message.replace('must be >= ', 'must be at least ').replace('must be <= ', 'must be at most ')}.`;
}

function kindOf({ params }: Pick<SchemaFault, 'params'>): string {
  const type = String(Reflect.get(Object(params), 'type'));
  return KINDS[type] ?? type;
}
