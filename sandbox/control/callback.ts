import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { isSignedBy } from '../notify/sign.ts';
import { bodyBytes, bodyText } from '../request.ts';
import { ControlError, readBody } from './error.ts';

const CallbackBody = Type.Object({
  url: Type.String(),
  /** Whoever only makes sure that its callback is still known leaves it in its place. */
  again: Type.Optional(Type.Boolean()),
});
const WEB_PROTOCOLS = ['http:', 'https:'];

/**
 * By this call a gateway says where its notifications go. It signs it with the app secret, so that a sandbox which belongs to another gateway
 * refuses it.
 */
export function controlCallbackRoute(app: FastifyInstance, context: Context): void {
  app.post('/_sandbox/callback', async (request) => {
    const { url, again = false } = readSigned(context, request);
    if (!WEB_PROTOCOLS.includes(URL.parse(url)?.protocol ?? '')) {
      throw new ControlError(422, 'The url of a callback must be an http or https address.');
    }
    if (!again || !context.callbacks.has(url)) context.callbacks.add(url);
    return { success: true };
  });
}

function readSigned({ appSecret }: Context, request: FastifyRequest): Type.Static<typeof CallbackBody> {
  if (!isSignedBy(request.headers['x-hub-signature-256'], bodyBytes(request), appSecret)) {
    throw new ControlError(401, 'The call is not signed with the app secret of this sandbox.');
  }
  return readBody(CallbackBody, bodyText(request));
}
