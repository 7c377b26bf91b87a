import { parameterError, refusal } from '../graph-error.ts';
import { isAbsent, isObject, isText, type JsonObject, lengthOf } from '../read-json.ts';
import { checkTemplate, type FindTemplate } from './template.ts';

const TEXT_LENGTH_MAX = 4096;
const CALLBACK_DATA_LENGTH_MAX = 512;

/** The types that real clients send besides text and template. Their contents are not checked. */
const OTHER_TYPES = new Set([
  'audio',
  'contacts',
  'document',
  'image',
  'interactive',
  'location',
  'pin',
  'reaction',
  'sticker',
  'video',
]);

/**
 * Checks a message as the provider does, and throws its refusal. Returns the category that is charged.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages
 */
export function checkMessage(body: JsonObject, findTemplate: FindTemplate): string {
  const { type = 'text' } = body;
  checkCallbackData(body.biz_opaque_callback_data);
  checkContext(body.context);
  if (type === 'text') return checkText(body.text);
  if (type === 'template') return checkTemplate(body.template, findTemplate);
  if (typeof type !== 'string' || !OTHER_TYPES.has(type)) throw refusal(131051);
  const content = body[type];
  if (typeof content !== 'object' || content === null) throw refusal(131008, `Parameter of type ${type} is missing.`);
  return 'service';
}

/** The first check: that this is a message for WhatsApp, to one person or group. */
export function checkEnvelope({ messaging_product: product, recipient_type: type = 'individual' }: JsonObject): void {
  if (product === undefined) throw parameterError('The parameter messaging_product is required.');
  if (typeof product !== 'string' || product.toLowerCase() !== 'whatsapp') {
    throw parameterError('Param messaging_product must be one of {WHATSAPP}.');
  }
  if (type !== 'individual' && type !== 'group') {
    throw parameterError('Param recipient_type must be one of {INDIVIDUAL, GROUP}.');
  }
}

function checkCallbackData(callbackData: unknown): void {
  if (isAbsent(callbackData)) return;
  if (typeof callbackData !== 'string' || lengthOf(callbackData) > CALLBACK_DATA_LENGTH_MAX) {
    throw parameterError(`Param biz_opaque_callback_data must be at most ${CALLBACK_DATA_LENGTH_MAX} characters long.`);
  }
}

function checkContext(context: unknown): void {
  if (isAbsent(context)) return;
  if (!isObject(context) || !isText(context.message_id)) throw parameterError('Param context must hold a message_id.');
}

function checkText(text: unknown): string {
  if (!isObject(text) || text.body === undefined) throw refusal(131008, "Parameter 'body' of 'text' is missing.");
  const { body, preview_url: previewUrl = false } = text;
  if (!isText(body)) throw refusal(131009, "Parameter 'body' of 'text' must be a text that is not empty.");
  if (lengthOf(body) > TEXT_LENGTH_MAX) {
    throw parameterError(`Param text['body'] must be at most ${TEXT_LENGTH_MAX} characters long.`);
  }
  if (![true, false, 'true', 'false'].some((word) => word === previewUrl))
    throw parameterError("Param text['preview_url'] must be a boolean.");
  return 'service';
}
