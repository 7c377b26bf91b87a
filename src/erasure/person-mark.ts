import { createHmac, hkdfSync } from 'node:crypto';

/** Makes what stands for a person in the audit log. The same person of the same account always has the same mark. */
export type PersonMark = (accountId: string, person: string) => string;

const MARK_CHARACTERS = 32;

/**
 * Keyed, because there are few enough phone numbers to try them all against a plain hash. Whoever has the master key can
 * show that a number was erased; nobody can read the number out of the log.
 */
export function createPersonMark(masterKey: Buffer): PersonMark {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'waypost person mark', 32));
  return (accountId, person) =>
    createHmac('sha256', key).update(`${accountId} ${person}`).digest('hex').slice(0, MARK_CHARACTERS);
}
