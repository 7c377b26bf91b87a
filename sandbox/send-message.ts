import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Taking } from './behaviour.ts';
import type { Context } from './context.ts';
import { callbackDataOf, type Decision, decide } from './decide.ts';
import { follow, followAcknowledged } from './follow.ts';
import type { Message } from './message.ts';
import { personOfPhone } from './person.ts';
import { isObject, type JsonObject, parseJson, plainText } from './read-json.ts';
import { bodyText, VERSION } from './request.ts';
import type { Schedule } from './schedule.ts';

/** What an overloaded proxy in front of the provider answers. */
const HTML_ERROR =
  '<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Sorry, something went wrong.</h1></body></html>';

/** `POST /{version}/{phone_number_id}/messages`: the send, and the read receipt that shares its path. */
export function sendMessageRoute(app: FastifyInstance, context: Context): void {
  app.post<{ Params: { id: string } }>(`${VERSION}/:id/messages`, async (request, reply) => {
    const text = bodyText(request);
    const body = parseJson(text);
    const decision = decide(context, request, { text, body });
    if (isObject(body) && decision.kind !== 'receipt')
      record(context, { phoneNumberId: request.params.id, text, body, decision });
    if (context.latencyMs > 0) await context.answers.wait(context.latencyMs);
    return carryOut(context, decision, { reply, body });
  });
}

function record(
  context: Context,
  {
    phoneNumberId,
    text,
    body,
    decision,
  }: { phoneNumberId: string; text: string; body: JsonObject; decision: Decision },
): void {
  const { to, recipient } = body;
  const message = decision.kind === 'take' ? decision.message : undefined;
  const address = plainText(to);
  context.transmits.add({
    id: message?.id ?? null,
    phoneNumberId,
    to: address === undefined ? null : (personOfPhone(address)?.phone ?? address),
    recipient: typeof recipient === 'string' ? recipient : null,
    bodyText: text,
    callbackData: callbackDataOf(body) ?? null,
    taken: message !== undefined,
    atMs: Date.now(),
  });
}

async function carryOut(
  context: Context,
  decision: Decision,
  { reply, body }: { reply: FastifyReply; body: unknown },
): Promise<unknown> {
  switch (decision.kind) {
    case 'refuse':
      throw decision.error;
    case 'receipt':
      return { success: true };
    case 'lose':
      return decision.how === 'html' ? reply.code(500).type('text/html').send(HTML_ERROR) : hangUp(reply, 'reset');
    case 'take':
      return take(context, decision, { reply, body });
  }
}

async function take(
  context: Context,
  { message, taking, course }: { message: Message; taking: Taking; course: Schedule },
  { reply, body }: { reply: FastifyReply; body: unknown },
): Promise<unknown> {
  if (taking.before.length > 0 && !course.isOver) await followAcknowledged(context, message, taking);
  void follow(context, message, { taking, course });
  if (taking.answer === 'cut') return hangUp(reply, 'close');
  if (taking.answerWaitMs > 0) await context.answers.wait(taking.answerWaitMs);
  return acceptance(message, body, taking.answer === 'held');
}

function hangUp(reply: FastifyReply, how: 'reset' | 'close'): FastifyReply {
  reply.hijack();
  if (how === 'reset') reply.raw.socket?.resetAndDestroy();
  else reply.raw.socket?.destroy();
  return reply;
}

/** The answer to a send. The provider repeats the address as it was given, and never shows the number behind a user id. */
function acceptance({ id, person }: Message, body: unknown, isHeld: boolean): unknown {
  const { to, recipient } = isObject(body) ? body : {};
  const contact =
    person.waId === undefined
      ? { input: recipient, user_id: person.userId }
      : { input: plainText(to), wa_id: person.waId };
  const held = isHeld ? { message_status: 'held_for_quality_assessment' } : {};
  return { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id, ...held }] };
}
