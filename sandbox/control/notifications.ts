import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Context } from '../context.ts';
import { newMessageId } from '../made-up.ts';
import { type Inbound, inboundNotification } from '../notify/inbound-notification.ts';
import { postOf } from '../notify/post-of.ts';
import { personOfPhone, personOfUserId } from '../person.ts';
import { parseJson } from '../read-json.ts';
import { bodyText } from '../request.ts';
import { ControlError, readBody } from './error.ts';

const InboundBody = Type.Object({
  phone_number_id: Type.Optional(Type.String({ minLength: 1 })),
  from: Type.String(),
  text: Type.Optional(Type.String({ minLength: 1 })),
  button: Type.Optional(Type.Object({ payload: Type.String(), text: Type.String({ minLength: 1 }) })),
  reply_to: Type.Optional(Type.String({ minLength: 1 })),
});

/**
 * Calls that post notifications at will: what a person writes, or any JSON. The answer's `status` is null if the callback gave no answer, or
 * if the app has lost its subscription. JSON at will is posted all the same.
 */
export function controlNotificationsRoutes(app: FastifyInstance, context: Context): void {
  const { directory, notifier, transmits } = context;
  app.post('/_sandbox/inbound', async (request) => {
    const body = readBody(InboundBody, bodyText(request));
    const { from, reply_to: replyTo } = body;
    const person = personOfPhone(from) ?? personOfUserId(from);
    if (person === undefined) throw new ControlError(422, 'The member from must be a phone number or a user id.');
    const phoneNumberId = body.phone_number_id ?? transmits.findTaken(person, replyTo)?.phoneNumberId;
    if (phoneNumberId === undefined)
      throw new ControlError(422, 'Give the phone_number_id: no message has gone out that this could answer.');
    const id = newMessageId(person.waId ?? person.userId);
    const inbound = { id, content: contentOf(body), ...(replyTo === undefined ? {} : { replyTo }) };
    const line = directory.line(phoneNumberId);
    const { tried } = postOf(context, line, inboundNotification(line, person, inbound));
    return { id, status: (await tried) ?? null };
  });

  app.post('/_sandbox/notifications', async (request) => {
    const json = bodyText(request);
    if (parseJson(json) === undefined) throw new ControlError(422, 'The body must be JSON.');
    return { status: (await notifier.postOnce(json)) ?? null };
  });
}

function contentOf({ text, button }: Static<typeof InboundBody>): Inbound['content'] {
  if (text !== undefined && button === undefined) return { text };
  if (button !== undefined && text === undefined) return { button };
  throw new ControlError(422, 'The body must have one of text and button.');
}
