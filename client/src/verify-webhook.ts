import { parseJson } from './parse-json.ts';
import type { WebhookEvent } from './waypost-event.ts';
import { readSignatures, readTimestamp, readWebhookHeaders, type WebhookHeaders } from './webhook-headers.ts';
import { WebhookVerificationError } from './webhook-verification-error.ts';

export interface ReceivedWebhook {
  /** The headers as they came. The case of their names does not matter. */
  headers: WebhookHeaders;
  /** The body as it came: not parsed, and not serialized again. */
  body: string | Uint8Array | ArrayBuffer;
  /** The secrets of the endpoint (`whsec_...`), one or several: during a rotation two are valid. */
  secrets: string | readonly string[];
  /** How far the sender's clock may be from this one; 300 if it is not given. */
  toleranceSeconds?: number | undefined;
}

const TOLERANCE_SECONDS = 300;
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Proves that an event came from Waypost (Standard Webhooks 1.0.0), and returns it. Throws a `WebhookVerificationError`,
 * whose `code` says what is wrong and never what would be right: answer it with a 401. An event may come more than
 * once, with the same `id`.
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
  const { headers, secrets, toleranceSeconds = TOLERANCE_SECONDS } = received;
  const keys = [secrets].flat().map(keyBytesOf);
  if (keys.length === 0) throw new TypeError('secrets must have at least one secret.');
  // With NaN no event would be too old, so one that was recorded long ago would pass.
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds must be 0 or more.');
  const body = bytesOf(received.body);
  const { id, timestamp, signature } = readWebhookHeaders(headers);
  readTimestamp(timestamp, { toleranceSeconds, nowMs: Date.now() });
  const signatures = readSignatures(signature);
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(signed, signatures, keys)))
    throw new WebhookVerificationError(
      'signature_mismatch',
      'No signature fits the id, the timestamp and the body with these secrets: one of the four is not what was sent.',
    );
  return readEvent(body);
}

/** The error's message never contains the secret. */
function keyBytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const text = typeof secret === 'string' ? secret.replace(/^whsec_/, '') : '';
  if (!/^[A-Za-z0-9+/]{4,}={0,2}$/.test(text) || text.length % 4 !== 0)
    throw new TypeError('A secret must be "whsec_" and base64, as the gateway showed it when the endpoint was made.');
  return fromBase64(text);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** A parsed body cannot be verified, because serializing it again makes other bytes. */
function bytesOf(body: ReceivedWebhook['body']): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (isBuffer(body)) return new Uint8Array(body);
  throw new TypeError('body must be the text or the bytes as they came, before anything has parsed them.');
}

/** By its name and not by `instanceof`: test runners and edge runtimes run a program in a context that has classes of its own. */
function isBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

function join(start: Uint8Array, end: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(start.length + end.length);
  all.set(start);
  all.set(end, start.length);
  return all;
}

/** Signs once for each secret, and not for each signature: the sender decides how many signatures there are, and how long the body is. */
async function isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string[], keys: Uint8Array<ArrayBuffer>[]) {
  const given = signatures.map(fromBase64);
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['sign']);
    const right = new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, signed));
    if (given.some((signature) => isSame(signature, right))) return true;
  }
  return false;
}

/** Looks at every byte, so that the time it takes does not show which one differs. */
function isSame(given: Uint8Array, right: Uint8Array): boolean {
  const differing = right.reduce((bits, byte, place) => bits | (byte ^ (given[place] ?? 0)), 0);
  return given.length === right.length && differing === 0;
}

function readEvent(body: Uint8Array): WebhookEvent {
  const value = parseJson(new TextDecoder().decode(body));
  if (isEvent(value)) return value;
  throw new WebhookVerificationError('not_an_event', 'The signature is right, but the body is no event of Waypost.');
}

/** Checks the members that every event has. The others are as the sender has described them, and the sender is proven. */
function isEvent(value: unknown): value is WebhookEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { id, type, timestamp, data }: Partial<Record<string, unknown>> = { ...value };
  return [id, type, timestamp].every((text) => typeof text === 'string') && typeof data === 'object' && data !== null;
}
