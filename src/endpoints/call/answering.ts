import type { SteadyClock } from '../../kernel/clock.ts';
import type { PostResult } from './post.ts';

/** Without a handshake, so that it costs nothing: nobody was there, or nobody was asked. */
const WITHOUT_TLS: readonly PostResult['error'][] = ['dns', 'refused', 'address_refused'];
const APART_MS = 3_600_000;
/** Beyond so many, the account that was noted first is forgotten: its next call goes apart, and its answer has it noted again. */
const ACCOUNTS_MAX = 100_000;

/** Which accounts' endpoints answer over TLS, as far as this process has seen. */
export interface Answering {
  /** Whether one has answered, and none has been silent within the hour. */
  has(accountId: string): boolean;
  /** Takes note of a call over TLS that nobody has broken off. */
  note(accountId: string, result: PostResult): void;
}

interface Seen {
  hasAnswered: boolean;
  /** When the hour after the last silence ends, on the steady clock. */
  apartUntilMs: number;
}

const NOTHING_SEEN: Seen = { hasAnswered: false, apartUntilMs: Number.NEGATIVE_INFINITY };

/**
 * A server that answers has shown a chain of certificates that ends with somebody whom everybody trusts, and checking such a chain never
 * costs much. The account counts and not the endpoint, because an endpoint can be made anew at will.
 */
export function createAnswering(clock: SteadyClock): Answering {
  const accounts = new Map<string, Seen>();
  const seenOf = (accountId: string) => accounts.get(accountId) ?? NOTHING_SEEN;
  const keep = (accountId: string, seen: Seen) => {
    accounts.set(accountId, seen);
    const [first] = accounts.keys();
    if (accounts.size > ACCOUNTS_MAX && first !== undefined) accounts.delete(first);
  };
  return {
    has(accountId) {
      const { hasAnswered, apartUntilMs } = seenOf(accountId);
      return hasAnswered && apartUntilMs <= clock.steadyMs();
    },
    note(accountId, { httpStatus, error }) {
      const { hasAnswered, apartUntilMs } = seenOf(accountId);
      if (httpStatus === null && !WITHOUT_TLS.includes(error))
        keep(accountId, { hasAnswered, apartUntilMs: clock.steadyMs() + APART_MS });
      else if (httpStatus !== null && !hasAnswered) keep(accountId, { hasAnswered: true, apartUntilMs });
    },
  };
}
