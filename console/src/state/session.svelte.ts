import { type Answer, type Call, callApi } from '../api/call.ts';
import { anything, type Decode, nothing, record, text } from '../api/decode.ts';
import { type Failure, notAKey } from '../api/failure.ts';
import { type OwnAccount, ownAccount, pageOf } from '../api/resources.ts';
import { tabStore } from './tab-store.ts';

export type Who = { kind: 'account'; account: OwnAccount } | { kind: 'platform' };

const PLATFORM_PREFIX = 'wp_root_';
/** What can be put into a header. Whether it is a key, the gateway says. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** Who is signed in. The key is kept in this tab only, and in no address. */
export const session = createSession();

function createSession() {
  let key = '';
  let who = $state.raw<Who>();
  let farewell = $state('');
  let asked = 0;

  /** Asks the gateway whose key it is. The key is kept only if it is valid. */
  async function signIn(given: string): Promise<Failure | undefined> {
    if (!SENDABLE.test(given)) return notAKey();
    asked += 1;
    const number = asked;
    const answer = await ask(given);
    // Whoever has signed out meanwhile must not be signed in again by a late answer.
    if (number !== asked) return undefined;
    if (!answer.ok) return answer.failure;
    key = given;
    who = answer.value;
    farewell = '';
    tabStore.write(given);
    return undefined;
  }

  function signOut(sentence = ''): void {
    asked += 1;
    key = '';
    who = undefined;
    farewell = sentence;
    tabStore.clear();
  }

  return {
    get who() {
      return who;
    },
    get key() {
      return key;
    },
    /** Why the session ended. The sign-in page shows it. */
    get farewell() {
      return farewell;
    },
    signIn,
    signOut,
    /** Continues the session after the tab was reloaded. Returns the failure if the gateway could not be asked. */
    async resume(): Promise<Failure | undefined> {
      const stored = tabStore.read();
      if (stored === null) return undefined;
      const failure = await signIn(stored);
      if (failure?.code === 'invalid_api_key') signOut(EXPIRED);
      return failure;
    },
    /** Ends the session if a key was refused, wherever that is noticed. */
    notice(failure: Failure): void {
      if (failure.code === 'invalid_api_key' && who !== undefined) signOut(EXPIRED);
    },
  };
}

const EXPIRED = 'Your key is not valid any more: it has expired or was revoked. Sign in with another one.';

async function ask(key: string): Promise<Answer<Who>> {
  if (!key.startsWith(PLATFORM_PREFIX))
    return callApi(key, { path: '/api/v1/account' }, (value) => ({ kind: 'account', account: ownAccount(value) }));
  const answer = await callApi(key, { path: '/platform/v1/accounts', query: { limit: 1 } }, pageOf(anything));
  return answer.ok ? { ...answer, value: { kind: 'platform' } } : answer;
}

/** Calls the API with the key of whoever is signed in. */
export async function api<Value>(call: Call, decode: Decode<Value>): Promise<Answer<Value>> {
  const { key } = session;
  const answer = await callApi(key, call, decode);
  // Somebody else may have signed in since. A failure of the old key does not concern them.
  if (!answer.ok && key === session.key) session.notice(answer.failure);
  return answer;
}

const changed = record({ id: text });

/**
 * For a change whose answer has nothing to read. It is looked at all the same: a page of something between, such as a proxy where one must sign
 * in anew, may come with a 200, and a key that was not revoked must not be taken for one that was.
 */
export function apiDone(call: Call & { method: 'POST' | 'PATCH' | 'DELETE' }): Promise<Answer<unknown>> {
  return call.method === 'DELETE' ? api(call, nothing) : api(call, changed);
}
