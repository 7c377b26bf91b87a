import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-fA-F]{64})$/;

/** Signs bytes as the provider does: `sha256=` and the HMAC-SHA256 in hex. */
export function signBytes(bytes: Buffer, secret: string): string {
  return `sha256=${hmac(bytes, secret).toString('hex')}`;
}

/**
 * Whether `signature` is that of the raw bytes under one of the secrets; false for anything that has not the form of a
 * signature. Every secret is tried and compared in constant time, so that the time tells nothing.
 */
export function isSignedBy(bytes: Buffer, signature: string | undefined, secrets: readonly string[]): boolean {
  const hex = SIGNATURE.exec(signature ?? '')?.[1];
  if (hex === undefined) return false;
  const given = Buffer.from(hex, 'hex');
  return secrets.map((secret) => timingSafeEqual(hmac(bytes, secret), given)).includes(true);
}

/** Compares a token with the valid ones in constant time, whatever their lengths. */
export function isToken(given: string, valid: readonly string[]): boolean {
  const hash = hmac(Buffer.from(given), 'token');
  return valid.map((token) => timingSafeEqual(hmac(Buffer.from(token), 'token'), hash)).includes(true);
}

function hmac(bytes: Buffer, secret: string): Buffer {
  return createHmac('sha256', secret).update(bytes).digest();
}
