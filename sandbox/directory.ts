import { digitsOf } from './made-up.ts';

/** Which business account a phone number id belongs to, and the number as people see it. */
export interface Line {
  phoneNumberId: string;
  businessAccountId: string;
  displayPhoneNumber: string;
}

/** The most phone number ids that are remembered; the oldest is forgotten, and made up anew when it is met again. */
const LINES_MAX = 100_000;

/**
 * The phone numbers of businesses. Gateways tell which exist; what nobody told is made up, always in the same way, since
 * every id is accepted.
 */
export class Directory {
  readonly #lines = new Map<string, Line>();
  readonly #byBusinessAccount = new Map<string, Set<string>>();

  learn(line: Line): void {
    this.#forget(line.phoneNumberId);
    this.#lines.set(line.phoneNumberId, line);
    const siblings = this.#byBusinessAccount.get(line.businessAccountId) ?? new Set();
    this.#byBusinessAccount.set(line.businessAccountId, siblings.add(line.phoneNumberId));
    if (this.#lines.size > LINES_MAX) this.#forgetOldest();
  }

  /** The line of a phone number id, as told or made up. */
  line(phoneNumberId: string): Line {
    return this.#lines.get(phoneNumberId) ?? this.#makeUp(phoneNumberId);
  }

  /** The lines of a business account. One that nobody told about has one made-up line. */
  linesOf(businessAccountId: string): Line[] {
    const ids = this.#byBusinessAccount.get(businessAccountId);
    if (ids !== undefined) return [...ids].map((id) => this.line(id));
    const phoneNumberId = digitsOf(`line of ${businessAccountId}`, 15);
    return [{ ...madeUpLine(phoneNumberId), businessAccountId }];
  }

  #makeUp(phoneNumberId: string): Line {
    const line = madeUpLine(phoneNumberId);
    this.learn(line);
    return line;
  }

  #forgetOldest(): void {
    for (const phoneNumberId of this.#lines.keys()) {
      this.#forget(phoneNumberId);
      return;
    }
  }

  #forget(phoneNumberId: string): void {
    const line = this.#lines.get(phoneNumberId);
    if (line === undefined) return;
    this.#lines.delete(phoneNumberId);
    const siblings = this.#byBusinessAccount.get(line.businessAccountId);
    siblings?.delete(phoneNumberId);
    if (siblings?.size === 0) this.#byBusinessAccount.delete(line.businessAccountId);
  }
}

function madeUpLine(phoneNumberId: string): Line {
  return {
    phoneNumberId,
    businessAccountId: digitsOf(`business account of ${phoneNumberId}`, 15),
    displayPhoneNumber: `1555${digitsOf(`number of ${phoneNumberId}`, 7)}`,
  };
}
