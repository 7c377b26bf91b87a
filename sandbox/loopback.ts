import type { FastifyReply, FastifyRequest } from 'fastify';

const LOOPBACK_ADDRESS = /^(::ffff:)?127\.|^::1$/;
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Refuses a control call that does not come from this machine. Host and origin must be names of this machine too: otherwise a web page that
 * is open on it could make such calls.
 */
export async function onlyLoopback(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { host = '', origin } = request.headers;
  const isLocal =
    LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? '') &&
    LOOPBACK_HOST.test(host) &&
    (origin === undefined || LOOPBACK_HOST.test(origin.replace(/^https?:\/\//, '')));
  if (!isLocal) await reply.code(403).send({ error: 'Control calls are for this machine only.' });
}
