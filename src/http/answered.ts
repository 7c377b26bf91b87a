import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formatId } from '../kernel/ids.ts';
import type { Principal } from '../kernel/principal.ts';
import { stateOf } from './request-state.ts';

/** What stands for the status of a call that got none, because its caller was gone; other servers use it too. */
const CALLER_GONE = 499;

/** A call that is over, as far as it may be told: without its query and its body. */
export interface AnsweredRequest {
  requestId: string;
  /** The same as the caller sees it. */
  shownRequestId: string;
  /** The template of its path; undefined: there is no such path. */
  route: string | undefined;
  method: string;
  status: number;
  /** undefined: no error. */
  code: string | undefined;
  /** The caller had closed its side of the connection before the answer's last byte, and mostly was gone. */
  hungUp: boolean;
  principal: Principal | undefined;
  durationMs: number;
}

/**
 * Tells of every call when it is over, also of those whose callers did not wait: of them the framework's own hook hears
 * nothing.
 */
export function tellAnswered(app: FastifyInstance, onAnswered: (answered: AnsweredRequest) => void): void {
  app.addHook('onRequest', (request, reply, done) => {
    const begunMs = performance.now();
    reply.raw.once('close', () => onAnswered(describeAnswer(request, reply, begunMs)));
    done();
  });
}

function describeAnswer(request: FastifyRequest, reply: FastifyReply, begunMs: number): AnsweredRequest {
  const { requestId, principal, errorCode: code, answeredMs } = stateOf(request.raw);
  const shown = reply.getHeader('x-request-id');
  return {
    requestId,
    shownRequestId: typeof shown === 'string' ? shown : formatId('req', requestId),
    route: request.is404 ? undefined : request.routeOptions.url,
    method: request.method,
    status: reply.raw.headersSent ? reply.statusCode : CALLER_GONE,
    code,
    hungUp: answeredMs === undefined && (!reply.raw.writableFinished || request.raw.socket.readableEnded),
    principal,
    durationMs: (answeredMs ?? performance.now()) - begunMs,
  };
}
