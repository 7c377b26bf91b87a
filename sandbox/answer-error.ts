import type { FastifyReply, FastifyRequest } from 'fastify';
import { GraphError } from './graph-error.ts';

const KNOWN_PATH =
  /^\/v\d{1,3}\.\d{1,3}\/([^/?]+)(\/(messages|message_templates|phone_numbers|subscribed_apps))?\/?(\?|$)/;

/**
 * Answers an error that was thrown in a route, in the words of the Graph API. An error that is a fault of the sandbox is thrown on, and
 * answered with a 500.
 */
export async function answerError(error: unknown, _request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (error instanceof GraphError) return send(reply, error);
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return send(reply, new GraphError(100, { message: '(#100) The request cannot be read.', status }));
  }
  throw error;
}

/** Answers a path that is not well formed. That is found before any route is. */
export function answerBadPath(_error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
  void send(reply, new GraphError(2500, { message: 'Unknown path components' }));
}

/** Answers a path that Graph does not have, and a method that a path does not have. */
export async function answerUnknown(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const id = KNOWN_PATH.exec(request.url)?.[1];
  if (id === undefined) {
    const path = request.url.split('?')[0];
    return send(reply, new GraphError(2500, { message: `Unknown path components: ${path}` }));
  }
  const operation = `Unsupported ${request.method.toLowerCase()} request. Object with ID '${id}' does not exist`;
  const message = `${operation}, cannot be loaded due to missing permissions, or does not support this operation`;
  return send(reply, new GraphError(100, { message, subcode: 33, type: 'GraphMethodException' }));
}

async function send(reply: FastifyReply, error: GraphError): Promise<unknown> {
  reply.code(error.status);
  if (error.status === 401) reply.header('www-authenticate', 'OAuth "Facebook Platform" "invalid_token"');
  return reply.send(error.toBody());
}
