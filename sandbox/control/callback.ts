import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { isSignedBy } from '../notify/sign.ts';
import { bodyBytes, bodyText } from '../request.ts';
import { ControlError, readBody } from './error.ts';

const Channel = Type.Object({
  phone_number_id: Type.String({ minLength: 1 }),
  business_account_id: Type.String({ minLength: 1 }),
  display_phone_number: Type.String({ minLength: 1 }),
});
const CallbackBody = Type.Object({
  url: Type.String(),
  /** Whoever only makes sure that its callback is still known leaves it in its place. */
  again: Type.Optional(Type.Boolean()),
  channels: Type.Optional(Type.Array(Channel)),
});
const WEB_PROTOCOLS = ['http:', 'https:'];

/**
 * By these calls a gateway says where its notifications go and which phone numbers it has. It signs them with the app secret, so that a
 * sandbox which belongs to another gateway refuses them.
 */
export function controlCallbackRoutes(app: FastifyInstance, context: Context): void {
  app.post('/_sandbox/callback', async (request) => {
    const { url, again = false, channels = [] } = readSigned(context, request);
    if (!WEB_PROTOCOLS.includes(URL.parse(url)?.protocol ?? '')) {
      throw new ControlError(422, 'The url of a callback must be an http or https address.');
    }
    if (!again || !context.callbacks.has(url)) context.callbacks.add(url);
    for (const channel of channels) {
      context.directory.learn({
        phoneNumberId: channel.phone_number_id,
        businessAccountId: channel.business_account_id,
        displayPhoneNumber: channel.display_phone_number,
      });
    }
    return { success: true };
  });

  app.delete('/_sandbox/callback', async (request) => {
    context.callbacks.remove(readSigned(context, request).url);
    return { success: true };
  });
}

function readSigned({ appSecret }: Context, request: FastifyRequest): Type.Static<typeof CallbackBody> {
  if (!isSignedBy(request.headers['x-hub-signature-256'], bodyBytes(request), appSecret)) {
    throw new ControlError(401, 'The call is not signed with the app secret of this sandbox.');
  }
  return readBody(CallbackBody, bodyText(request));
}
