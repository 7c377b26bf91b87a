import { createHmac, timingSafeEqual } from 'node:crypto';

const PREFIX = 'sha256=';
const HASH_BYTES = 32;

/** Signs bytes as the provider does: `sha256=` and the HMAC-SHA256 in hex. */
export function signBytes(bytes: Buffer, secret: string): string {
  return `sha256=${hmac(bytes, secret).toString('hex')}`;
}

/**
 * Whether `signature` is that of the raw bytes under one of the secrets; false if it does not look like one. Every secret is
 * tried, in constant time, so that the time tells nothing.
 */
export function isSignedBy(bytes: Buffer, signature: string | undefined, secrets: readonly string[]): boolean {
  const given = readSignature(signature);
  if (given === undefined) return false;
  return secrets.map((secret) => timingSafeEqual(hmac(bytes, secret), given)).includes(true);
}

function readSignature(signature: string | undefined): Buffer | undefined {
  if (signature?.length !== PREFIX.length + 2 * HASH_BYTES || !signature.startsWith(PREFIX)) return undefined;
  // Node reads up to the first character that is no hex digit, so such a one makes it too short.
  const bytes = Buffer.from(signature.slice(PREFIX.length), 'hex');
  return bytes.length === HASH_BYTES ? bytes : undefined;
}

/** Compares a token with the valid ones in constant time, whatever their lengths. */
export function isToken(given: string, valid: readonly string[]): boolean {
  const hash = hmac(Buffer.from(given), 'token');
  return valid.map((token) => timingSafeEqual(hmac(Buffer.from(token), 'token'), hash)).includes(true);
}

function hmac(bytes: Buffer, secret: string): Buffer {
  return createHmac('sha256', secret).update(bytes).digest();
}
