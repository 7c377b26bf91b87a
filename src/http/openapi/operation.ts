import type { TSchema } from 'typebox';
import { isRecord } from '../../kernel/is-record.ts';
import type { DescribedAnswer, DescribedHeader, Operation } from '../operation.ts';
import type { Access, Route } from '../route.ts';
import { errorAnswersOf } from './errors.ts';
import { RATE_FIELDS } from './headers.ts';
import type { JsonObject, Shared } from './schemas.ts';
import { upperFirst } from './upper-first.ts';

/** What the operations of a description share. Error answers are noted here under their names. */
export interface DescriptionParts {
  shared: Shared;
  errorAnswers: Map<string, JsonObject>;
}

/** A route as an operation of OpenAPI 3.1. */
export function describeOperation(route: Route, operation: Operation, parts: DescriptionParts): JsonObject {
  const body = requestBody(route, operation, parts.shared);
  return {
    operationId: operation.id,
    summary: route.summary,
    description: operation.description,
    tags: [operation.tag],
    security: securityOf(route.access),
    parameters: [
      ...Object.entries(operation.params ?? {}).map(([name, description]) => ({
        ...{ name, in: 'path', required: true, description },
        schema: { type: 'string' },
      })),
      ...queryParameters(operation.query ?? route.querySchema, parts.shared),
      ...Object.entries(operation.requestHeaders ?? {}).map(([name, header]) => headerParameter(name, header)),
    ],
    ...(body !== undefined && { requestBody: body }),
    responses: responses(route, operation, parts),
  };
}

/** In 3.1 the list of a bearer scheme holds the roles that a key needs. */
function securityOf(access: Access): JsonObject[] {
  if (access.by === 'anyone') return [];
  if (access.by === 'platform') return [{ platformKey: [] }];
  return [{ accountKey: access.scope === undefined ? [] : [access.scope] }];
}

function queryParameters(schema: TSchema | undefined, shared: Shared): JsonObject[] {
  if (schema === undefined) return [];
  const { properties, required } = shared.take(schema);
  if (!isRecord(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = isRecord(property) ? property : {};
    const isRequired = Array.isArray(required) && required.includes(name);
    return { name, in: 'query', required: isRequired, description, schema: rest };
  });
}

function headerParameter(
  name: string,
  { description, required = false, schema, example }: DescribedHeader,
): JsonObject {
  return { name, in: 'header', required, description, schema, example };
}

function requestBody(route: Route, operation: Operation, shared: Shared): JsonObject | undefined {
  const schema = operation.body ?? route.bodySchema;
  if (schema === undefined) return undefined;
  const taken = shared.take({ description: `${route.summary}.`, ...schema });
  if (isRecord(taken.properties) && Object.keys(taken.properties).length === 0) return undefined;
  return {
    description: taken.description,
    required: route.bodyUse !== 'json_or_empty',
    content: {
      'application/json': {
        schema: shared.take('$ref' in schema ? schema : taken, `${upperFirst(operation.id)}Body`),
        examples: namedExamples(shared.examplesOf(schema)),
      },
    },
  };
}

/** OpenAPI wants a name for each example. */
export function namedExamples(examples: readonly unknown[]): JsonObject {
  return Object.fromEntries(examples.map((value, place) => [`example_${place + 1}`, { value }]));
}

function responses(route: Route, operation: Operation, { shared, errorAnswers }: DescriptionParts): JsonObject {
  const described = Object.entries(operation.answers).map(([status, answer]): [string, JsonObject] => [
    status,
    describeAnswer(route, operation, status, answer, shared),
  ]);
  const errors = [...errorAnswersOf(route)]
    .filter(([status]) => operation.answers[status] === undefined)
    .map(([status, { name, answer }]): [string, JsonObject] => {
      errorAnswers.set(name, answer);
      return [String(status), { $ref: `#/components/responses/${name}` }];
    });
  return Object.fromEntries([...described, ...errors]);
}

function describeAnswer(
  { access }: Route,
  { id }: Operation,
  status: string,
  { description, schema, contentType = 'application/json', headers, ...own }: DescribedAnswer,
  shared: Shared,
): JsonObject {
  const common = ['x-request-id', ...(access.by === 'account' ? RATE_FIELDS : [])];
  const described = {
    description,
    headers: {
      ...Object.fromEntries(common.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
      ...headers,
    },
  };
  if (schema === undefined) return described;
  const name = `${upperFirst(id)}Answer${status === '200' ? '' : status}`;
  const examples = 'example' in own ? [own.example] : shared.examplesOf(schema);
  const taken = contentType === 'application/json' ? shared.take(schema, name) : shared.take(schema);
  return { ...described, content: { [contentType]: { schema: taken, examples: namedExamples(examples) } } };
}
