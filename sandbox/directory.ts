import { digitsOf } from './made-up.ts';

/** Which business account a phone number id belongs to, and the number as people see it. */
export interface Line {
  phoneNumberId: string;
  businessAccountId: string;
  displayPhoneNumber: string;
}

/** The most phone number ids that are remembered; the oldest is forgotten, and made up anew when it is met again. */
const LINES_MAX = 100_000;
/** The most access tokens that are remembered; past it all are forgotten. */
const TOKENS_MAX = 100_000;

/**
 * The phone numbers of businesses. Gateways may tell which exist; what nobody told is made up, always in the same way, since
 * every id is accepted. An access token that is used for one business account shows whose its phone numbers are.
 */
export class Directory {
  readonly #lines = new Map<string, Line>();
  /** Ids of lines that were made up. */
  readonly #madeUp = new Set<string>();
  /** null: the token is used for several. */
  readonly #businessOf = new Map<string, string | null>();
  readonly #byBusinessAccount = new Map<string, Set<string>>();

  learn(line: Line): void {
    this.#forget(line.phoneNumberId);
    this.#lines.set(line.phoneNumberId, line);
    const siblings = this.#byBusinessAccount.get(line.businessAccountId) ?? new Set();
    this.#byBusinessAccount.set(line.businessAccountId, siblings.add(line.phoneNumberId));
    if (this.#lines.size > LINES_MAX) this.#forgetOldest();
  }

  /** A token was used for a business account. */
  noteToken(token: string, businessAccountId: string): void {
    if (this.#businessOf.size >= TOKENS_MAX) this.#businessOf.clear();
    const known = this.#businessOf.get(token);
    this.#businessOf.set(token, known === undefined || known === businessAccountId ? businessAccountId : null);
  }

  /** The line of a phone number id, as told or made up. `token`: the one that it is used with. */
  line(phoneNumberId: string, token?: string): Line {
    const line = this.#lines.get(phoneNumberId) ?? this.#keepMadeUp(madeUpLine(phoneNumberId));
    const businessAccountId = this.#businessOf.get(token ?? '') ?? line.businessAccountId;
    if (businessAccountId === line.businessAccountId || !this.#madeUp.has(phoneNumberId)) return line;
    return this.#keepMadeUp({ ...line, businessAccountId });
  }

  /** The lines of a business account. One that nobody told about has one made-up line. */
  linesOf(businessAccountId: string): Line[] {
    const ids = this.#byBusinessAccount.get(businessAccountId);
    if (ids !== undefined) return [...ids].map((id) => this.line(id));
    const phoneNumberId = digitsOf(`line of ${businessAccountId}`, 15);
    return [{ ...madeUpLine(phoneNumberId), businessAccountId }];
  }

  #keepMadeUp(line: Line): Line {
    this.learn(line);
    this.#madeUp.add(line.phoneNumberId);
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
    this.#madeUp.delete(phoneNumberId);
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
