import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { ApiError, type PointerFault } from '../kernel/errors.ts';
import { jsonFaults } from '../kernel/json-faults.ts';
import { pointerToken } from '../kernel/json-pointer.ts';

/** What a validator of typebox says about one fault; the words are those of JSON Schema's keywords. */
interface SchemaFault {
  keyword: string;
  instancePath: string;
  message: string;
  params: unknown;
}

/** Makes a check that throws `invalid_request` with every fault at once, each with its pointer. */
export function createBodyCheck(schema: TSchema): (value: unknown) => void {
  const validator = Compile(schema);
  return (value) => {
    const faults = [...jsonFaults(value), ...(validator.Check(value) ? [] : readFaults(validator.Errors(value)))];
    if (faults.length > 0) throw new ApiError('invalid_request', 'The body is not valid.', { errors: faults });
  };
}

/** The same for a query, whose faults are named by parameter. A parameter given twice arrives as an array. */
export function createQueryCheck(schema: TSchema): (value: unknown) => void {
  const validator = Compile(schema);
  return (value) => {
    const faults = [...jsonFaults(value), ...(validator.Check(value) ? [] : readFaults(validator.Errors(value)))];
    if (faults.length === 0) return;
    const errors = faults.map(({ pointer, detail }) => ({ parameter: parameterOf(pointer), detail }));
    throw new ApiError('invalid_request', 'The query is not valid.', { errors });
  };
}

function parameterOf(pointer: string): string {
  const token = decodeURIComponent(pointer.split('/')[1] ?? '');
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function readFaults(errors: readonly SchemaFault[]): PointerFault[] {
  // A member that is not known is reported twice, once as a schema that is `false`.
  const told = errors.filter(({ keyword }) => keyword !== 'boolean');
  const faults = told.flatMap((error) => pointersOf(error).map((pointer) => ({ pointer, detail: sentence(error) })));
  return [...new Map(faults.map((fault) => [`${fault.pointer} ${fault.detail}`, fault])).values()];
}

function pointersOf({ keyword, instancePath, params }: SchemaFault): string[] {
  const path = `#${instancePath
    .split('/')
    .map((part, place) => (place === 0 ? '' : `/${encodeURIComponent(part)}`))
    .join('')}`;
  const named = (member: string): string[] => {
    const names: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, member) : undefined;
    return Array.isArray(names) ? names.map((name) => `${path}/${pointerToken(String(name))}`) : [path];
  };
  if (keyword === 'additionalProperties') return named('additionalProperties');
  if (keyword === 'required') return named('requiredProperties');
  return [path];
}

function sentence({ keyword, message, params }: SchemaFault): string {
  if (keyword === 'additionalProperties') return 'This member is not known.';
  if (keyword === 'required') return 'This member is missing.';
  const allowed: unknown = Reflect.get(Object(params), 'allowedValues');
  if (Array.isArray(allowed)) return `The value must be one of ${allowed.join(', ')}.`;
  if (keyword === 'pattern') return 'The value does not have the form that is asked for.';
  return `The value ${message}.`;
}
