import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createMemo } from './memo.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals and opens secrets (access tokens, endpoint secrets) with AES-256-GCM under the platform's master key. */
export interface Sealer {
  /** `context` binds the sealed bytes to one row, so that they are of no use in another. */
  seal(secret: string, context: string): Buffer;
  /** Throws if another master key or another context sealed it. */
  open(sealed: Buffer, context: string): string;
}

/** `masterKey` is 32 bytes. The sealed form is nonce, tag and ciphertext, one after the other. */
export function createSealer(masterKey: Buffer): Sealer {
  if (masterKey.length !== 32) throw new Error('The master key must have 32 bytes');
  return {
    seal(secret, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', masterKey, nonce).setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed, context) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', masterKey, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
      return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

/**
 * Opens as the sealer does, and remembers up to `entriesMax` secrets, for callers that open the same ones all the time: opening
 * one costs more than signing with it. They are known by their sealed bytes, so a changed secret is a new one at once.
 */
export function rememberOpened(sealer: Sealer, entriesMax: number): Sealer['open'] {
  const opened = createMemo<string>(entriesMax);
  return (sealed, context) => opened(`${sealed.toString('base64')} ${context}`, () => sealer.open(sealed, context));
}
