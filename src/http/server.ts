import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../kernel/errors.ts';
import { formatId } from '../kernel/ids.ts';
import type { InFlight } from '../kernel/in-flight.ts';
import { nodeHttp } from '../kernel/node-http.ts';
import { unavailable } from '../kernel/unavailable.ts';
import { type AdmitDeps, admit, admitAgain, noteKey } from './admit.ts';
import { answerConnect } from './answer-connect.ts';
import { answerErrors, createErrorAnswer } from './answer-errors.ts';
import { type OnAnswered, tellAnswered, tellWhenAnswered } from './answered.ts';
import { changeInDoubt } from './change-in-doubt.ts';
import { createBodyCheck, createQueryCheck } from './check-schema.ts';
import { checkContentType } from './content-type.ts';
import { answerHalfClosed } from './half-closed.ts';
import { NOT_READY_DETAILS } from './health.ts';
import { invalidRequest } from './invalid-request.ts';
import { parseJsonBody } from './json-body.ts';
import { createLargeBodies, LARGE_BYTES_MIN, type LargeBodies, type LargeCall } from './large-bodies.ts';
import { lingering } from './linger.ts';
import { encodingFaults } from './query-encoding.ts';
import { createReadBody } from './read-body.ts';
import { accountOf, stateOf } from './request-state.ts';
import type { Answer, Call, Route } from './route.ts';
import { NO_MEMBERS } from './schema-words.ts';
import { type HoldAnswer, holdUnreadAnswers } from './unread-answers.ts';

/** The API's limit. A route may have its own. */
const BODY_BYTES_MAX = 1 << 20;
/** A caller that needs longer to send its request holds a connection for nothing. */
const REQUEST_TIMEOUT_MS = 60_000;

/** No route gives Fastify a schema. Otherwise it loads what compiles them, and a start waits for that. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } };

function noSchema(): never {
  throw new Error('A route has given Fastify a schema');
}

export interface ServerDeps extends AdmitDeps {
  routes: readonly Route[];
  /** The base of the error pages, known once the port is. */
  docsUrl(): string;
  /** False while the process drains: new work is refused. */
  accepting(): boolean;
  /** True once it is known that the process will stop. It still works, but closes each connection behind its answer. */
  leaving?(): boolean;
  log: Logger;
  /** Counts the calls that have come whole, until their answers are written. */
  calls?: InFlight;
  /** Whether a route that threw this did nothing, and may well succeed when it is called again. */
  isPassing?(error: unknown): boolean;
  /** Told when a call is over. */
  onAnswered?: OnAnswered;
}

/**
 * A listener, the public one or the internal one. The order in which faults answer is a promise: route 404 and 405, key 401,
 * suspended and scope 403, request rate 429, content type 415, size 413, JSON 400, then what the route itself checks.
 */
export function createServer(deps: ServerDeps): FastifyInstance {
  const answerError = createErrorAnswer(deps);
  const app = Fastify({
    logger: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // We drain by ourselves: refused work gets a problem page, and keep-alive connections are told to close.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    // Fastify finds a malformed path before it looks for a route, and calls no hook.
    frameworkErrors: (error, request, reply) => {
      if (deps.onAnswered !== undefined) tellWhenAnswered(request, reply, deps.onAnswered);
      const answer = (fault: unknown) => {
        addHeaders(request, reply, deps);
        answerError(request, reply, fault);
      };
      noteKey(request.raw, deps).then(() => answer(error), answer);
    },
    // Without this Node itself refuses a request without a host, and not with a problem page. Nothing here needs the host.
    http: { requireHostHeader: false },
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: 1_000 },
    schemaController: NO_SCHEMAS,
  });
  answerHalfClosed(app.server);
  answerConnect(app.server);
  readBodies(app);
  if (deps.onAnswered !== undefined) tellAnswered(app, deps.onAnswered);
  const holdAnswer = holdUnreadAnswers();
  const largeBodies = createLargeBodies();
  addHooks(app, deps, holdAnswer);
  answerErrors(app, answerError, deps.docsUrl);
  supportAllMethods(app);
  for (const [path, routes] of Map.groupBy(deps.routes, (route) => route.path)) {
    const more = extraMethods(routes);
    for (const route of routes) addRoute(app, route, [route.method, ...more], { ...deps, holdAnswer, largeBodies });
    refuseOtherMethods(app, path, [...routes.map(({ method }) => method), ...more], async (request) => {
      if (routes.some(({ access }) => access.by !== 'anyone')) await noteKey(request.raw, deps);
    });
  }
  return app;
}

/** Fastify finds a parser at one look for a type that it is told by name. For any other it takes the type apart each time. */
const BODY_TYPES = ['application/json', 'application/octet-stream', '*'];

/** A body of any type is read as bytes. What it must be is the route's affair. */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const readBody = createReadBody();
  app.addContentTypeParser(BODY_TYPES, (request, _payload, done) => {
    readBody(request.raw, request.routeOptions.bodyLimit, (error, body) => {
      if (body !== undefined) stateOf(request.raw).rawBody = body;
      done(error, undefined);
    });
  });
}

/** What every call passes. Hooks that call back cost less than those that make a promise. */
function addHooks(app: FastifyInstance, deps: ServerDeps, holdAnswer: HoldAnswer): void {
  app.addHook('onRequest', (request, _reply, done) => {
    // The path comes before all other faults, so before the body is looked at. One that ends where an id should be matches
    // the route of that id, and is no path.
    if (!request.is404 && !Object.values(Object(request.params)).includes('')) return done();
    const refusal = new ApiError('not_found', 'There is no such path.');
    noteKey(request.raw, deps).then(() => done(refusal), done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const { leaving } = addHeaders(request, reply, deps);
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) holdAnswer(reply.raw, Buffer.byteLength(payload));
    const closes = leaving || !reply.raw.shouldKeepAlive;
    if (!closes || request.raw.complete || !Buffer.isBuffer(payload)) return done(null, payload);
    reply.header('content-length', payload.length);
    done(null, lingering(payload, request.raw));
  });
}

/** What every answer has in its head. Says whether the connection is to be closed because the process will stop. */
function addHeaders({ raw }: FastifyRequest, reply: FastifyReply, deps: ServerDeps): { leaving: boolean } {
  reply.header('x-request-id', formatId('req', stateOf(raw).requestId));
  // What may be kept says so itself. All else is of one moment, and much of it is of one account. A cache that is told nothing may keep it
  // for as long as it likes, a 404 or 405 too: https://www.rfc-editor.org/rfc/rfc9110#section-15.1
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  const account = accountOf(raw);
  if (account !== undefined) reply.headers(deps.rateLimits.fields(account.keyId, stateOf(raw).rateLeft));
  // A connection that stays open behind its last answer would hold up the drain.
  const leaving = !deps.accepting() || deps.leaving?.() === true;
  if (leaving) reply.header('connection', 'close');
  return { leaving };
}

/** The parameters of a path, by name. Fastify gives an object of texts for every path. */
interface WithParams {
  Params: Record<string, string>;
}

interface RouteDeps extends ServerDeps {
  holdAnswer: HoldAnswer;
  largeBodies: LargeBodies;
}

/**
 * What a path answers beside the methods of its routes. Probes and link checkers ask by HEAD for what anyone may read, so a path that
 * has nothing but such a GET answers HEAD too.
 */
function extraMethods(routes: readonly Route[]): ['HEAD'] | [] {
  const isReading = routes.every(({ method, access }) => method === 'GET' && access.by === 'anyone');
  return isReading ? ['HEAD'] : [];
}

function addRoute(app: FastifyInstance, route: Route, methods: string[], deps: RouteDeps): void {
  const readCall = createReadCall(route);
  app.route<WithParams>({
    method: methods,
    url: route.path,
    bodyLimit: route.bodyBytesMax ?? BODY_BYTES_MAX,
    onRequest: (request, _reply, done) => {
      refuseWhileDraining(route, deps);
      // Raw bytes are taken whatever their type. Fastify would refuse a header that is no type at all.
      if (route.bodyUse === 'raw') request.raw.headers['content-type'] = 'application/octet-stream';
      if (route.access.by === 'anyone') done();
      else admit(request.raw, route.access, deps).then(() => done(), done);
    },
    preParsing: (request, _reply, payload, done) => {
      if (route.bodyUse !== 'none' && route.bodyUse !== 'raw')
        checkContentType(request.raw, route.bodyUse === 'json_or_empty');
      done(null, payload);
    },
    handler: async (request, reply) => {
      const state = stateOf(request.raw);
      state.arrivedMs = performance.now() - state.admittingMs;
      if (deps.calls !== undefined && !reply.raw.closed) reply.raw.once('close', deps.calls.begin());
      const stillAdmitted = async () => {
        if (route.access.by !== 'anyone') await admitAgain(request.raw, route.access, deps);
      };
      const ready = async () => {
        // The stop may have begun while the body was on its way.
        refuseWhileDraining(route, deps);
        await stillAdmitted();
      };
      // It has been let in, so that a stop which begins meanwhile waits for it. But it has waited once more: of a key that leaked, a hundred
      // sends may stand in line when it is revoked, and the last of them would go ten seconds later.
      const inLine: InLine = (work) =>
        beginInLine(request, { ready: stillAdmitted, begin: async () => work() }, deps.largeBodies);
      const begin = () => handleCall(route, readCall(request, inLine));
      const answer = await beginInLine(request, { ready, begin }, deps.largeBodies);
      if (answer.bytesHeld !== undefined) deps.holdAnswer(reply.raw, answer.bytesHeld);
      return sendAnswer(reply, answer);
    },
  });
}

type InLine = Call<unknown, unknown, unknown>['inLine'];

/** Most bodies are small, and their calls are answered at once. */
async function beginInLine<Result>(
  { raw }: FastifyRequest,
  { ready, begin }: Pick<LargeCall<Result>, 'ready' | 'begin'>,
  largeBodies: LargeBodies,
): Promise<Result> {
  const account = accountOf(raw);
  const bytes = stateOf(raw).rawBody.length;
  if (account !== undefined && bytes >= LARGE_BYTES_MIN)
    return largeBodies({ accountId: account.accountId, bytes, ready, begin });
  await ready();
  return begin();
}

async function handleCall(route: Route, call: Call<unknown, unknown, unknown>): Promise<Answer> {
  try {
    return await route.handle(call);
  } catch (error) {
    throw changeInDoubt(route, error) ?? error;
  }
}

function refuseWhileDraining(route: Route, { accepting, leaving }: ServerDeps): void {
  if (accepting() || route.alsoWhileDraining === true) return;
  throw unavailable(NOT_READY_DETAILS[leaving?.() === false ? 'starting' : 'stopping']);
}

/** Makes what reads a call of this route. It throws what is wrong with the call's body and query. */
function createReadCall(
  route: Route,
): (request: FastifyRequest<WithParams>, inLine: InLine) => Call<unknown, unknown, unknown> {
  const checkQuery = createQueryCheck(route.querySchema ?? NO_MEMBERS);
  const checkBody = route.bodySchema === undefined ? undefined : createBodyCheck(route.bodySchema);
  return (request, inLine) => {
    const { requestId, principal, rawBody } = stateOf(request.raw);
    const body = bodyOf(route, rawBody);
    const queryFaults = () =>
      route.access.by === 'anyone' ? [] : [...encodingFaults(request.raw.url ?? ''), ...checkQuery(request.query)];
    const faults = route.bodyUse === 'send' ? [] : [...queryFaults(), ...(checkBody?.(body) ?? [])];
    if (faults.length > 0) throw invalidRequest(faults);
    const { params, query } = request;
    return { requestId, principal, params, query, body, rawBody, request, queryFaults, inLine };
  };
}

function bodyOf(route: Route, rawBody: Buffer): unknown {
  if (route.bodyUse === 'none' || route.bodyUse === 'raw') return undefined;
  if (route.bodyUse === 'json_or_empty' && rawBody.length === 0) return {};
  return parseJsonBody(rawBody, { passedOn: route.bodyUse === 'send' });
}

function sendAnswer(reply: FastifyReply, { status, body, headers }: Answer): FastifyReply {
  reply.code(status).headers(headers ?? {});
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable)
    return reply.send(body);
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** A known path with another method is 405 whatever the key, and `/messages/send` is never a message id. */
function refuseOtherMethods(
  app: FastifyInstance,
  path: string,
  allowed: readonly string[],
  before: (request: FastifyRequest) => Promise<void>,
): void {
  const allow = allowed.join(', ');
  app.route({
    method: nodeHttp.METHODS.filter((method) => !allowed.includes(method)),
    url: path,
    onRequest: async (request) => {
      await before(request);
      throw new ApiError('method_not_allowed', `Use ${allow}.`, { headers: { allow } });
    },
    handler: async () => undefined,
  });
}

function supportAllMethods(app: FastifyInstance): void {
  const supported = new Set<string>(app.supportedMethods);
  for (const method of nodeHttp.METHODS) if (!supported.has(method)) app.addHttpMethod(method);
}
