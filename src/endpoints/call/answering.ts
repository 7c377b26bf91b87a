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

/**
 * A server that answers has shown a chain of certificates that ends with somebody whom everybody trusts, and checking such a chain never
 * costs much. The account counts and not the endpoint, because an endpoint can be made anew at will.
 */
export function createAnswering(clock: SteadyClock): Answering {
  const sinceMs = new Map<string, number>();
  const noteSince = (accountId: string, atMs: number) => {
    sinceMs.set(accountId, atMs);
    const [first] = sinceMs.keys();
    if (sinceMs.size > ACCOUNTS_MAX && first !== undefined) sinceMs.delete(first);
  };
  return {
    has: (accountId) => (sinceMs.get(accountId) ?? Number.POSITIVE_INFINITY) <= clock.steadyMs(),
    note(accountId, { httpStatus, error }) {
      if (httpStatus === null && !WITHOUT_TLS.includes(error)) noteSince(accountId, clock.steadyMs() + APART_MS);
      else if (httpStatus !== null && !sinceMs.has(accountId)) noteSince(accountId, clock.steadyMs());
    },
  };
}
