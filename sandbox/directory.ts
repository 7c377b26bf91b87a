import { digitsOf } from './made-up.ts';

/** Which business account a phone number id belongs to, and the number as people see it. */
export interface Line {
  phoneNumberId: string;
  businessAccountId: string;
  displayPhoneNumber: string;
}

/** How many phone number ids are remembered at most. The oldest is forgotten, and made up again when it is next used. */
const LINES_MAX = 100_000;
/** How many access tokens are remembered at most. Beyond that all are forgotten. */
const TOKENS_MAX = 100_000;

/**
 * The phone numbers of businesses. Gateways may say which exist. Every id is accepted, so for one that nobody has told about a line is made
 * up, always the same for the same id. If an access token is used for only one business account, the made-up numbers that it is used with
 * belong to that account.
 */
export class Directory {
  readonly #lines = new Map<string, Line>();
  /** The phone number ids whose lines were made up. */
  readonly #madeUp = new Set<string>();
  /** The business account that a token is used for; null if it is used for several. */
  readonly #businessOf = new Map<string, string | null>();
  readonly #byBusinessAccount = new Map<string, Set<string>>();

  learn(line: Line): void {
    this.#forget(line.phoneNumberId);
    this.#lines.set(line.phoneNumberId, line);
    const siblings = this.#byBusinessAccount.get(line.businessAccountId) ?? new Set();
    this.#byBusinessAccount.set(line.businessAccountId, siblings.add(line.phoneNumberId));
    if (this.#lines.size > LINES_MAX) this.#forgetOldest();
  }

  /** Notes that a token was used for a business account. */
  noteToken(token: string, businessAccountId: string): void {
    if (this.#businessOf.size >= TOKENS_MAX) this.#businessOf.clear();
    const known = this.#businessOf.get(token);
    this.#businessOf.set(token, known === undefined || known === businessAccountId ? businessAccountId : null);
  }

  /** The line of a phone number id, as it was told or made up. `token`: the access token that the id is used with. */
  line(phoneNumberId: string, token?: string): Line {
    const line = this.#lines.get(phoneNumberId) ?? this.#keepMadeUp(madeUpLine(phoneNumberId));
    const businessAccountId = this.#businessOf.get(token ?? '') ?? line.businessAccountId;
    if (businessAccountId === line.businessAccountId || !this.#madeUp.has(phoneNumberId)) return line;
    return this.#keepMadeUp({ ...line, businessAccountId });
  }

  /** The lines of a business account. If nobody has told about any, it has one made-up line. */
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
