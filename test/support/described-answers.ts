import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { describeGateway } from '../../src/api-description.ts';
import { openApiPath } from '../../src/http/openapi/openapi.ts';
import type { JsonObject } from '../../src/http/openapi/schemas.ts';
import type { Route } from '../../src/http/route.ts';
import { isRecord } from '../../src/kernel/is-record.ts';
import { routesAsData } from '../../src/routes-as-data.ts';
import type { TestAnswer } from './call-api.ts';

/** How many mismatches are reported. A fault of a schema repeats itself in every test. */
const TOLD_MAX = 10;
const DOCUMENT = 'https://waypost.example/openapi.json';

export interface DescribedAnswers {
  /** Throws if an answer was not as the API description says. Each mismatch is reported once. */
  assertDescribed(): void;
}

/**
 * Compares every answer of a gateway in this process with the API description. An answer may have no member that the description does not
 * name.
 */
export function watchAnswers(server: FastifyInstance): DescribedAnswers {
  const mismatches = new Set<string>();
  server.addHook('onSend', async (request, reply, payload: unknown) => {
    const { url = '' } = request.routeOptions;
    // The description names GET. HEAD has the same answer without the body.
    const asked = request.method === 'HEAD' && reply.statusCode !== 405 ? 'GET' : request.method;
    const route = routes().find(({ method, path }) => method === asked && path === url);
    const contentType = String(reply.getHeader('content-type') ?? '');
    const compare = (text: string | undefined) => {
      const requestId = String(reply.getHeader('x-request-id') ?? '');
      const wrong = findMismatch(route, { status: reply.statusCode, contentType, requestId, text });
      if (wrong !== undefined) mismatches.add(`${request.method} ${url} answered ${reply.statusCode}: ${wrong}`);
    };
    if (payload instanceof Readable && /json\b/.test(contentType))
      return Readable.from(passOn(compare, payload, reply.hasHeader('content-length')));
    compare(typeof payload === 'string' ? payload : Buffer.isBuffer(payload) ? payload.toString() : undefined);
    return payload;
  });
  return {
    assertDescribed() {
      const told = [...mismatches].slice(0, TOLD_MAX);
      mismatches.clear();
      assert.deepEqual(told, [], 'These answers are not as the API description says');
    },
  };
}

/**
 * Passes on an answer that is a stream. It is compared before its caller has all of it: that is at the last byte if the length was sent,
 * and otherwise at the end, which comes later.
 */
async function* passOn(compare: (text: string) => void, payload: Readable, isLengthSent: boolean) {
  const pieces: string[] = [];
  for await (const piece of payload) {
    // Then all bytes are in one piece.
    if (isLengthSent) compare(String(piece));
    else pieces.push(String(piece));
    yield piece;
  }
  if (!isLengthSent) compare(pieces.join(''));
}

/** The same comparison for one answer of a gateway that is a process of its own. */
export function assertDescribed(method: string, path: string, { status, headers, text }: TestAnswer): void {
  const [bare = ''] = path.split('?');
  const isIt = (route: Route) => route.method === method && matches(route.path, bare);
  const route = routes()
    .filter(isIt)
    // A path without an id is preferred to one that has an id in the same place.
    .sort((a, b) => a.path.split(':').length - b.path.split(':').length)[0];
  const contentType = headers.get('content-type') ?? '';
  const wrong = findMismatch(route, { status, contentType, requestId: headers.get('x-request-id') ?? '', text });
  assert.equal(wrong, undefined, `${method} ${route?.path} answered ${status}: ${wrong}`);
}

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replace(/[.*]/g, '\\$&').replace(/:[a-z_]+/g, '[^/]+')}$`).test(path);
}

interface SeenAnswer {
  status: number;
  contentType: string;
  requestId: string;
  /** undefined if there is no body, or if it is a stream. */
  text: string | undefined;
}

/** What is wrong with an answer; undefined if nothing is. The answers of pages are for people, and not compared. */
function findMismatch(route: Route | undefined, answer: SeenAnswer): string | undefined {
  if (route?.operation === 'page') return undefined;
  if (!/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(answer.requestId)) return 'there is no x-request-id';
  const description = strictDescription();
  const described = route === undefined ? problemOfNoRoute(answer) : description.find(route, answer.status);
  if (described === undefined) return 'this status is not described';
  const [type = ''] = answer.contentType.split(';');
  if (described.contentType === undefined) return answer.text ? 'a body is not described' : undefined;
  if (type !== described.contentType) return `the content type is "${type}", not "${described.contentType}"`;
  if (!type.endsWith('json')) return undefined;
  const value = parseJson(answer.text);
  return value === undefined ? 'it is no JSON' : description.check(described.pointer, value);
}

function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // That is the mismatch which is reported.
  }
}

interface DescribedContent {
  /** undefined if there is no body. */
  contentType?: string;
  /** Where the schema is in the description. */
  pointer: string;
}

/** The description cannot name an answer that belongs to no operation. It must be a problem all the same. */
function problemOfNoRoute({ status }: SeenAnswer): DescribedContent | undefined {
  if (status !== 404 && status !== 405) return undefined;
  return { contentType: 'application/problem+json', pointer: '#/components/schemas/Problem' };
}

interface StrictDescription {
  find(route: Route, status: number): DescribedContent | undefined;
  /** What does not fit the schema there; undefined if it fits. */
  check(pointer: string, value: unknown): string | undefined;
}

/** Made when they are first needed, once for each process, because reading and compiling them takes a while. */
const routes = once(routesAsData);
const strictDescription = once(() =>
  createStrictDescription(strict(describeGateway(routes(), 'https://waypost.example'))),
);

function once<Made>(make: () => Made): () => Made {
  let known: { made: Made } | undefined;
  return () => {
    known ??= { made: make() };
    return known.made;
  };
}

function createStrictDescription(document: unknown): StrictDescription {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    discriminator: true,
    validateSchema: false,
    // Each schema is compiled once in a process, and for few answers: what makes the compiled code quicker costs more than it saves.
    inlineRefs: false,
    code: { optimize: false },
  });
  addFormats.default(ajv);
  assert.ok(isRecord(document));
  ajv.addSchema({ ...document, $id: DOCUMENT });
  const validators = new Map<string, ValidateFunction>();
  return {
    find({ method, path }, status) {
      const own = `#/paths/${tokenOf(openApiPath(path))}/${method.toLowerCase()}/responses/${status}`;
      const described = at(document, own);
      if (!isRecord(described)) return undefined;
      const pointer = typeof described.$ref === 'string' ? described.$ref : own;
      const [contentType] = Object.keys(Object(at(document, `${pointer}/content`)));
      if (contentType === undefined) return { pointer };
      return { contentType, pointer: `${pointer}/content/${tokenOf(contentType)}/schema` };
    },
    check(pointer, value) {
      const validate = validators.get(pointer) ?? ajv.compile({ $ref: `${DOCUMENT}${pointer}` });
      validators.set(pointer, validate);
      if (validate(value)) return undefined;
      const faults = (validate.errors ?? []).filter((error) => !isContent(error));
      // Only the alternatives around a message's content were found wrong, because of that content.
      if (faults.every(({ keyword }) => keyword === 'oneOf' || keyword === 'discriminator')) return undefined;
      return faults.map(sentence).join('; ');
    },
  };
}

/** The same description, in which an object may have only the members that are described. */
function strict(value: unknown, inAllOf = false): unknown {
  if (Array.isArray(value)) return value.map((item) => strict(item, inAllOf));
  if (!isRecord(value)) return value;
  const copy: JsonObject = Object.fromEntries(
    Object.entries(value)
      // Left out, because the validator finds out by itself which schema has which word.
      .filter(([key]) => !(key === 'mapping' && 'propertyName' in value))
      .map(([key, part]) => [key, strict(part, key === 'allOf')]),
  );
  const open = inAllOf || value.type !== 'object' || !isRecord(value.properties) || 'additionalProperties' in value;
  return open ? copy : { ...copy, additionalProperties: false };
}

/** The content of a message is in the member that is named after its type, whatever types the provider invents. */
function isContent({ keyword, params, data }: ErrorObject): boolean {
  return keyword === 'additionalProperties' && isRecord(data) && params.additionalProperty === data.type;
}

function sentence({ instancePath, message = '', params, keyword }: ErrorObject): string {
  const detail = keyword === 'additionalProperties' || keyword === 'enum' ? ` ${JSON.stringify(params)}` : '';
  return `${instancePath || 'the body'} ${message}${detail}`;
}

function at(document: unknown, pointer: string): unknown {
  const steps = pointer.slice('#/'.length).split('/');
  return steps.reduce<unknown>(
    (value, step) => (isRecord(value) ? value[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    document,
  );
}

function tokenOf(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}
