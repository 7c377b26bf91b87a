import { createHmac, timingSafeEqual } from 'node:crypto';

/** DEL is included, because one public verifier escapes it before it compares. */
const NOT_ASCII = /[\u007f-\uffff]/g;
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** A notification as it goes over the wire. */
export interface Signed {
  body: string;
  signature: string;
}

/**
 * Writes a notification as the provider does: characters outside ASCII become `\uXXXX`, and exactly these bytes are signed.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/create-webhook-endpoint
 */
export function sign(notificationJson: string, appSecret: string): Signed {
  const body = notificationJson.replace(NOT_ASCII, escaped);
  return { body, signature: `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}` };
}

/** Whether a header signs these bytes with this secret. */
export function isSignedBy(header: unknown, body: Buffer, appSecret: string): boolean {
  const given = typeof header === 'string' ? SIGNATURE.exec(header)?.[1] : undefined;
  if (given === undefined) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), createHmac('sha256', appSecret).update(body).digest());
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
