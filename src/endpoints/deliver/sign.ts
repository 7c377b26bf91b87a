import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

/** A new secret of an endpoint, in the form in which the public libraries take it. */
export function mintSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * The headers that prove where an event comes from (Standard Webhooks 1.0.0): one signature for each secret that is
 * valid now, the current one first.
 */
export function signEvent(eventId: string, at: Date, body: string, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const content = `${eventId}.${timestamp}.${body}`;
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signContent(bytesOfSecret(secret), content)}`).join(' '),
  };
}

/** The bytes that an endpoint's secret stands for. */
export function bytesOfSecret(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}

/** The bare signature of a text, in base64. */
export function signContent(key: Buffer, content: string): string {
  return createHmac('sha256', key).update(content).digest('base64');
}
