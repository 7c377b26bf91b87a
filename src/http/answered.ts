import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formatId } from '../kernel/ids.ts';
import type { Principal } from '../kernel/principal.ts';
import { stateOf } from './request-state.ts';

/** The status of a call that got none because its caller was gone. Other servers use it too. */
const CALLER_GONE = 499;

/** A call that is over, as it may be told: without its query and its body. */
export interface AnsweredRequest {
  requestId: string;
  /** The same, as the caller sees it. */
  shownRequestId: string;
  /** The pattern of its path; undefined: there is no such path. */
  route: string | undefined;
  method: string;
  status: number;
  /** undefined: no error. */
  code: string | undefined;
  /** The caller had closed its side of the connection before the answer's last byte. Mostly it was gone. */
  hungUp: boolean;
  principal: Principal | undefined;
  durationMs: number;
}

export type OnAnswered = (answered: AnsweredRequest) => void;

/**
 * Tells of every call when it is over, also of calls whose callers did not wait, which Fastify's own hook leaves out. For a call that
 * no hook ever sees there is `tellWhenAnswered`.
 */
export function tellAnswered(app: FastifyInstance, onAnswered: OnAnswered): void {
  app.addHook('onRequest', (request, reply, done) => {
    tellWhenAnswered(request, reply, onAnswered);
    done();
  });
}

/** Tells of this one call when it is over. To be called at its beginning. */
export function tellWhenAnswered(request: FastifyRequest, reply: FastifyReply, onAnswered: OnAnswered): void {
  const begunMs = performance.now();
  reply.raw.once('close', () => onAnswered(describeAnswer(request, reply, begunMs)));
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
