import type { FastifyRequest } from 'fastify';
import { authorize } from './authorize.ts';
import { behaviourOf, ORDINARY, type Taking } from './behaviour.ts';
import { checkEnvelope, checkMessage } from './check/message.ts';
import type { Context } from './context.ts';
import { GraphError, parameterError, refusal } from './graph-error.ts';
import { digitsOf, newMessageId } from './made-up.ts';
import type { Message } from './message.ts';
import { type Person, personOfGroup, personOfPhone, personOfUserId } from './person.ts';
import { isAbsent, isObject, isText, type JsonObject, plainText } from './read-json.ts';
import type { Schedule } from './schedule.ts';

/** What becomes of one transmit. */
export type Decision =
  | { kind: 'refuse'; error: GraphError }
  | { kind: 'receipt' }
  | { kind: 'lose'; how: 'reset' | 'html' }
  /** `course`: what follows is posted by it, so that a reset before the answer calls that off too. */
  | { kind: 'take'; message: Message; taking: Taking; course: Schedule };

/** So many digits of the hash that two messages never share them. */
const KEY_DIGITS = 30;

/** Decides what becomes of a transmit: whether it is refused, lost or taken, and what follows if it is taken. */
export function decide(
  context: Context,
  request: FastifyRequest<{ Params: { id: string } }>,
  { text, body }: { text: string; body: unknown },
): Decision {
  try {
    const token = authorize(request);
    if (!isObject(body)) throw parameterError('The request body must be a JSON object.');
    return read(context, { phoneNumberId: request.params.id, token }, { text, body });
  } catch (error) {
    if (error instanceof GraphError) return { kind: 'refuse', error };
    throw error;
  }
}

function read(
  context: Context,
  { phoneNumberId, token }: { phoneNumberId: string; token: string },
  { text, body }: { text: string; body: JsonObject },
): Decision {
  checkEnvelope(body);
  if (!isAbsent(body.status)) return readReceipt(body);
  const person = recipientOf(body);
  const behaviour = behaviourOf(person.phone);
  if (behaviour.kind === 'lose') return behaviour;
  if (behaviour.kind === 'refuse' && isRefusedNow(context, behaviour.first, keyOf(text, body))) {
    throw refusal(behaviour.code);
  }
  const { businessAccountId } = context.directory.line(phoneNumberId, token);
  const category = checkMessage(body, (name, language) => context.registry.find(businessAccountId, name, language));
  const id = newMessageId(person.waId ?? person.userId);
  const message = { id, phoneNumberId, person, callbackData: callbackDataOf(body), category };
  const taking = behaviour.kind === 'take' ? behaviour : ORDINARY;
  return { kind: 'take', message, taking, course: context.course };
}

function readReceipt({ status, message_id: messageId }: JsonObject): Decision {
  if (status !== 'read') throw parameterError('Param status must be one of {READ}.');
  if (!isText(messageId)) throw refusal(131008, 'Parameter message_id is missing.');
  return { kind: 'receipt' };
}

/** The person that a message is for. If there is a number and a user id, the number decides. */
function recipientOf({ to, recipient, recipient_type: type }: JsonObject): Person {
  if (isAbsent(to)) {
    if (isAbsent(recipient)) throw parameterError('The parameter to is required.');
    const person = isText(recipient) ? personOfUserId(recipient) : undefined;
    if (person === undefined) throw refusal(131009, 'The recipient is not a business-scoped user id.');
    return person;
  }
  const address = plainText(to);
  if (!isText(address)) throw refusal(131009, 'The recipient phone number is not a text.');
  const person = type === 'group' ? personOfGroup(address) : personOfPhone(address);
  if (person === undefined) throw refusal(131009, 'The recipient phone number is not a valid phone number.');
  return person;
}

function isRefusedNow(context: Context, first: number, key: string): boolean {
  return first === Number.POSITIVE_INFINITY || context.refusals.add(key) <= first;
}

/** Two transmits with the same callback data are the same message; without callback data, those with the same body. */
function keyOf(text: string, body: JsonObject): string {
  return callbackDataOf(body) ?? digitsOf(text, KEY_DIGITS);
}

/** The data that come back with every notice about a message. */
export function callbackDataOf({ biz_opaque_callback_data: callbackData }: JsonObject): string | undefined {
  return typeof callbackData === 'string' ? callbackData : undefined;
}
