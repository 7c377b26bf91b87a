import { digitsOf } from './made-up.ts';

/** Which business account a phone number id belongs to, and the number in digits only. */
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
 * The phone numbers of businesses. Every id is accepted, so the line of each is made up, always the same for the same id. If an access token
 * is used for only one business account, the numbers that it is used with belong to that account.
 */
export class Directory {
  readonly #lines = new Map<string, Line>();
  /** The business account that a token is used for; null if it is used for several. */
  readonly #businessOf = new Map<string, string | null>();

  /** Notes that a token was used for a business account. */
  noteToken(token: string, businessAccountId: string): void {
    if (this.#businessOf.size >= TOKENS_MAX) this.#businessOf.clear();
    const known = this.#businessOf.get(token);
    this.#businessOf.set(token, known === undefined || known === businessAccountId ? businessAccountId : null);
  }

  /** The line of a phone number id. `token`: the access token that the id is used with. */
  line(phoneNumberId: string, token = ''): Line {
    const known = this.#lines.get(phoneNumberId);
    const line = known ?? madeUpLine(phoneNumberId);
    const businessAccountId = this.#businessOf.get(token) ?? line.businessAccountId;
    return businessAccountId === known?.businessAccountId ? known : this.#keep({ ...line, businessAccountId });
  }

  /** The lines of a business account that were used. If none was, it has one made-up line. */
  linesOf(businessAccountId: string): Line[] {
    const lines = [...this.#lines.values()].filter((line) => line.businessAccountId === businessAccountId);
    if (lines.length > 0) return lines;
    const phoneNumberId = digitsOf(`line of ${businessAccountId}`, 15);
    return [{ ...madeUpLine(phoneNumberId), businessAccountId }];
  }

  #keep(line: Line): Line {
    this.#lines.set(line.phoneNumberId, line);
    const [oldest] = this.#lines.keys();
    if (this.#lines.size > LINES_MAX && oldest !== undefined) this.#lines.delete(oldest);
    return line;
  }
}

function madeUpLine(phoneNumberId: string): Line {
  return {
    phoneNumberId,
    businessAccountId: digitsOf(`business account of ${phoneNumberId}`, 15),
    displayPhoneNumber: `1555${digitsOf(`number of ${phoneNumberId}`, 7)}`,
  };
}
