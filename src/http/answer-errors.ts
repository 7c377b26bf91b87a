import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { errorCodeOf } from '../kernel/error-code.ts';
import { API_ERROR_DOCS } from '../kernel/error-docs.ts';
import { ApiError } from '../kernel/errors.ts';
import { formatId, newId } from '../kernel/ids.ts';
import { nodeHttp } from '../kernel/node-http.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { unavailable } from '../kernel/unavailable.ts';
import { PROBLEM_TYPE, problemOf } from './problem.ts';
import { stateOf } from './request-state.ts';
import { isUnderWay } from './under-way.ts';

interface Deps {
  docsUrl(): string;
  log: Logger;
  /** Of what threw in a route: whether nothing was done, and the same call may well go through when it is made again. */
  isPassing?(error: unknown): boolean;
}

export type AnswerError = (request: FastifyRequest, reply: FastifyReply, error: unknown) => FastifyReply;

/** Makes the answer to every error: a problem page. What is not one of ours is `internal_error`, told to the log alone. */
export function createErrorAnswer({ docsUrl, log, isPassing = () => false }: Deps): AnswerError {
  return (request, reply, thrown) => {
    const error = apiErrorOf(thrown, isPassing);
    const state = stateOf(request.raw);
    state.errorCode = error.code;
    const requestId = formatId('req', state.requestId);
    // The framework would close here, and a caller that is still writing would see a reset in place of this answer. So
    // the rest is read and forgotten, within the time that any request has.
    if (error.code === 'payload_too_large') reply.removeHeader('connection');
    // Without a cause nothing has failed: in a stop, or when there is too much to do, the gateway refuses by itself.
    if (error.code === 'internal_error' || (error.code === 'unavailable' && error.cause !== undefined))
      log.error({ request_id: requestId, code: error.code, err: error.cause }, 'request.failed');
    return (
      reply
        .code(error.status)
        .headers({ ...challengeOf(error), ...error.headers })
        .header('content-type', PROBLEM_TYPE)
        // As bytes: to a text the framework would add a charset, which this media type does not have.
        .send(Buffer.from(JSON.stringify(problemOf(error, requestId, docsUrl()))))
    );
  };
}

/** Sees to it that nothing but `answerError` answers for a fault, whoever finds it. */
export function answerErrors(app: FastifyInstance, answerError: AnswerError, docsUrl: () => string): void {
  app.setErrorHandler((error: unknown, request, reply) => answerError(request, reply, error));
  // An expectation that is not known may be ignored, and Node's own refusal is no problem page.
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response));
  // What is not even HTTP never reaches a route; it gets a problem page too, and the connection is closed. Behind a
  // request that is being carried out the page would stand for its answer, and say of a send that nothing was
  // transmitted. There the connection breaks, which leaves open what became of it.
  app.server.removeAllListeners('clientError');
  app.server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || isUnderWay(socket)) return void socket.destroy();
    socket.end(badRequest(error.code, docsUrl()), () => socket.destroy());
  });
}

function challengeOf({ code }: ApiError): Record<string, string> {
  if (code === 'invalid_api_key') return { 'www-authenticate': 'Bearer' };
  if (code === 'invalid_signature') return { 'www-authenticate': 'X-Hub-Signature-256' };
  return {};
}

function apiErrorOf(error: unknown, isPassing: (error: unknown) => boolean): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreUnavailable) return unavailable('The store cannot be reached.', { cause: error });
  switch (errorCodeOf(error)) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('unsupported_media_type', 'The content type must be application/json.');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError('not_found', 'There is no such path.');
    default:
      if (isPassing(error)) return unavailable('Others were at the same thing in this moment.', { cause: error });
      return new ApiError('internal_error', 'Something went wrong on our side.', { cause: error });
  }
}

/** The whole answer to bytes that are not HTTP, written to the socket by hand. */
function badRequest(code: string | undefined, docsUrl: string): string {
  const { status, detail } = faultOf(code);
  const requestId = formatId('req', newId());
  const error = new ApiError('bad_http', detail);
  const body = JSON.stringify({ ...problemOf(error, requestId, docsUrl), status });
  return [
    `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status]}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'cache-control: no-store',
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

/** By Node's code. What comes too late may be good HTTP. */
function faultOf(code: string | undefined): { status: number; detail: string } {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, detail: 'The URL and the headers are too large, or too many.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, detail: 'The request did not come whole in time.' };
    default:
      return { status: 400, detail: API_ERROR_DOCS.bad_http.detail };
  }
}
