import type { FastifyRequest } from 'fastify';
import { GraphError } from './graph-error.ts';

const BEARER = /^(?:bearer|oauth)\s+(\S+)$/i;
/** A token that begins with this is refused, for tests of an expired token. Every other token is accepted. */
const REFUSED = 'refused';

/** Returns the access token. Throws the provider's refusal if the request has none, or one that is refused. */
export function authorize(request: FastifyRequest): string {
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) {
    throw new GraphError(104, { message: 'An access token is required to request this resource.' });
  }
  if (token.startsWith(REFUSED)) {
    throw new GraphError(190, { message: 'Invalid OAuth access token - Cannot parse access token' });
  }
  return token;
}
