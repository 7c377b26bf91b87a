import type { FastifyRequest } from 'fastify';
import { GraphError } from './graph-error.ts';

/** How the provider's paths begin, with any version of its API. */
export const VERSION = '/:version(^v\\d{1,3}\\.\\d{1,3}$)';

/** The raw bytes of a request's body; empty if it has none. */
export function bodyBytes(request: FastifyRequest): Buffer {
  return request.body instanceof Buffer ? request.body : Buffer.alloc(0);
}

/** A request's body as text. */
export function bodyText(request: FastifyRequest): string {
  return bodyBytes(request).toString('utf8');
}

/** A parameter of the query that may be given once; `undefined` if it is missing. */
export function queryText(request: FastifyRequest, name: string): string | undefined {
  const { query } = request;
  const value = typeof query === 'object' && query !== null ? new Map(Object.entries(query)).get(name) : undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw new GraphError(100, { message: `(#100) Param ${name} must be a string.` });
}
