import { API_ERRORS, type ApiErrorCode } from '../../kernel/errors.ts';
import { EXAMPLE, EXAMPLE_DOCS_URL } from '../examples.ts';
import { PROBLEM_TYPE } from '../problem.ts';
import type { Route } from '../route.ts';
import { SHARED_SCHEMAS } from '../schema-words.ts';
import { RATE_FIELDS } from './headers.ts';
import type { JsonObject } from './schemas.ts';
import { upperFirst } from './upper-first.ts';

/** The answers of a route that are errors, by status: which they are follows from its shape, and some are its own. */
export function errorAnswersOf(route: Route): Map<number, { name: string; answer: JsonObject }> {
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => API_ERRORS[code].status);
  return new Map(
    [...byStatus].map(([status, codes]) => {
      const rated = isRated(route, status);
      return [status, { name: answerName(route, status, codes), answer: answerOf(codes, rated ? RATE_FIELDS : []) }];
    }),
  );
}

const CODES_IN_NAME_MAX = 2;

const IN_ORDER = Object.keys(API_ERRORS);

function errorCodesOf(route: Route): ApiErrorCode[] {
  const own = typeof route.operation === 'object' ? (route.operation.errors ?? []) : [];
  const codes = new Set([...ofAccess(route), ...ofInput(route), ...own, 'internal_error' as const]);
  if (route.alsoWhileDraining !== true) codes.add('unavailable');
  // In the order of the table, so that the same ones always have the same name.
  return [...codes].sort((one, other) => IN_ORDER.indexOf(one) - IN_ORDER.indexOf(other));
}

function ofAccess({ access, method }: Route): ApiErrorCode[] {
  if (access.by === 'anyone') return [];
  // A suspended account that calls the platform's routes is told of its suspension first, as everywhere.
  const always: ApiErrorCode[] = ['invalid_api_key', 'insufficient_scope'];
  if (access.by === 'account') always.push('rate_limited');
  return method === 'GET' ? always : [...always, 'account_suspended'];
}

function ofInput({ method, path, access, bodyUse }: Route): ApiErrorCode[] {
  const json = bodyUse !== 'none' && bodyUse !== 'raw';
  return [
    ...(path.includes(':') ? (['not_found'] as const) : []),
    ...(method === 'GET' ? [] : (['payload_too_large'] as const)),
    // A type that is none is refused even where no body is expected.
    ...(method === 'GET' || bodyUse === 'raw' ? [] : (['unsupported_media_type'] as const)),
    ...(json ? (['malformed_json'] as const) : []),
    ...(access.by === 'anyone' ? [] : (['invalid_request'] as const)),
  ];
}

/** A caller who is answered 401 has no rate. */
function isRated({ access }: Route, status: number): boolean {
  return access.by === 'account' && status !== 401;
}

/** Its codes, unless that would be too long to read: so many are of one operation only. */
function answerName(route: Route, status: number, codes: readonly ApiErrorCode[]): string {
  const { operation } = route;
  if (codes.length > CODES_IN_NAME_MAX && typeof operation === 'object')
    return `${upperFirst(operation.id)}Answer${status}`;
  const name = codes.map(nameOf).join('Or');
  // A 429 has no variant without a rate, so it needs no name of its own.
  return isRated(route, status) && status !== 429 ? `${name}ToAccount` : name;
}

/** `invalid_request` is `InvalidRequest`. */
function nameOf(code: ApiErrorCode): string {
  return code.split('_').map(upperFirst).join('');
}

function answerOf(codes: readonly ApiErrorCode[], common: readonly string[]): JsonObject {
  const examples = codes.map((code) => [code, { summary: API_ERRORS[code].title, value: problemExample(code) }]);
  return {
    description: codes.map((code) => `\`${code}\`: ${API_ERRORS[code].title}. ${API_ERRORS[code].action}`).join('\n\n'),
    headers: Object.fromEntries(
      ['x-request-id', ...common, ...new Set(codes.flatMap(headersOf))].map((name) => [
        name,
        { $ref: `#/components/headers/${name}` },
      ]),
    ),
    content: {
      [PROBLEM_TYPE]: {
        schema: {
          allOf: [
            { $ref: `${SHARED_SCHEMAS}Problem` },
            {
              type: 'object',
              required: ['code'],
              properties: {
                code: {
                  type: 'string',
                  enum: codes,
                  description: 'What this call is answered with under this status.',
                },
              },
            },
          ],
        },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function headersOf(code: ApiErrorCode): string[] {
  switch (API_ERRORS[code].status) {
    case 401:
      return ['www-authenticate'];
    case 429:
    case 503:
      return ['retry-after'];
    default:
      return code === 'idempotency_in_flight' ? ['retry-after'] : [];
  }
}

function problemExample(code: ApiErrorCode): JsonObject {
  const { status, title } = API_ERRORS[code];
  return {
    type: `${EXAMPLE_DOCS_URL}/${code}`,
    title,
    status,
    detail: `${title}.`,
    code,
    request_id: EXAMPLE.requestId,
    ...(code === 'invalid_request' && { errors: [{ pointer: '#/name', detail: 'This member is missing.' }] }),
  };
}
