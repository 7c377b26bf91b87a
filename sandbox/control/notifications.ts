import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { newMessageId } from '../made-up.ts';
import { inboundNotification } from '../notify/inbound-notification.ts';
import { personOfPhone, personOfUserId } from '../person.ts';
import { parseJson } from '../read-json.ts';
import { bodyText } from '../request.ts';
import { ControlError, readBody } from './error.ts';

const InboundBody = Type.Object({
  phone_number_id: Type.String({ minLength: 1 }),
  from: Type.String(),
  text: Type.String({ minLength: 1 }),
});

/**
 * Calls that post notifications at will: a text from a person, or any JSON. The answer's `status` is null if the callback gave no answer.
 */
export function controlNotificationsRoutes(app: FastifyInstance, { directory, notifier }: Context): void {
  app.post('/_sandbox/inbound', async (request) => {
    const { phone_number_id: phoneNumberId, from, text } = readBody(InboundBody, bodyText(request));
    const person = personOfPhone(from) ?? personOfUserId(from);
    if (person === undefined) throw new ControlError(422, 'The member from must be a phone number or a user id.');
    const id = newMessageId(person.waId ?? person.userId);
    const { tried } = notifier.post(inboundNotification(directory.line(phoneNumberId), person, { id, text }));
    return { id, status: (await tried) ?? null };
  });

  app.post('/_sandbox/notifications', async (request) => {
    const json = bodyText(request);
    if (parseJson(json) === undefined) throw new ControlError(422, 'The body must be JSON.');
    return { status: (await notifier.postOnce(json)) ?? null };
  });
}
