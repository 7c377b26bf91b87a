import type { IncomingMessage } from 'node:http';
import { ApiError } from '../kernel/errors.ts';
import type { Principal, Scope } from '../kernel/principal.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { headerValues } from './header-values.ts';
import { type RateLimits, rateLimited } from './rate-limit.ts';
import { stateOf } from './request-state.ts';
import type { Access } from './route.ts';

/** With the time for which a key is believed, a revocation reaches a call within the 2 s that are promised. */
const ADMITTED_MS = 500;
/** What to bring to a route instead of a key of the other kind. */
const OTHER_KEY = {
  account: 'This call needs a key of an account: wp_live_ or wp_test_.',
  platform: 'This call needs a key of the platform: wp_root_.',
};

/** What a route asks of the key: an account's, with a scope if one is named, or the platform's. */
export type KeyAccess = Exclude<Access, { by: 'anyone' }>;

export interface AdmitDeps {
  /** Throws `invalid_api_key`. */
  authenticate(authorization: string | undefined): Promise<Principal>;
  rateLimits: RateLimits;
}

/**
 * Lets a call in by its key, or throws: `invalid_api_key`, `account_suspended`, `insufficient_scope`, `rate_limited`, the first
 * that applies in this order. The principal is in the call's state from then on.
 */
export async function admit(request: IncomingMessage, access: KeyAccess, deps: AdmitDeps): Promise<void> {
  const begunMs = performance.now();
  const principal = await identify(request, access, deps);
  const state = stateOf(request);
  state.admittingMs = state.admittedMs - begunMs;
  if (principal.kind === 'platform') return;
  if (!deps.rateLimits.take('requests', principal.keyId, 1, state.rateLeft)) throw rateLimited('requests');
}

/**
 * Looks at the key again if that was long ago, as where the body was long in coming: the key may have been revoked, or the
 * account suspended. Throws as `admit` does, but takes nothing from the rate.
 */
export async function admitAgain(request: IncomingMessage, access: KeyAccess, deps: AdmitDeps): Promise<void> {
  if (performance.now() - stateOf(request).admittedMs > ADMITTED_MS) await identify(request, access, deps);
}

/**
 * Notes whose key it is on a call that is refused for its path or method, whoever makes it: the answer tells a known key its
 * rates all the same. If the key cannot be read now, the refusal comes without them.
 */
export async function noteKey(request: IncomingMessage, { authenticate }: AdmitDeps): Promise<void> {
  const authorization = authorizationOf(request);
  if (authorization === undefined) return;
  stateOf(request).principal = await authenticate(authorization).catch((error: unknown) => {
    // An unknown key, or a store that is away.
    if (error instanceof ApiError || error instanceof StoreUnavailable) return undefined;
    throw error;
  });
}

async function identify(request: IncomingMessage, access: KeyAccess, deps: AdmitDeps): Promise<Principal> {
  const state = stateOf(request);
  state.principal = undefined;
  const principal = await deps.authenticate(authorizationOf(request));
  state.principal = principal;
  state.admittedMs = performance.now();
  if (principal.kind === 'account' && principal.suspended && request.method !== 'GET')
    throw new ApiError('account_suspended', 'The account is suspended.');
  if (principal.kind !== access.by) throw new ApiError('insufficient_scope', OTHER_KEY[access.by]);
  if (principal.kind === 'account' && access.by === 'account') checkScope(principal.scopes, access.scope);
  return principal;
}

/**
 * Of several Node gives the first only. Where they differ nobody knows which key is meant, and a send of a test could reach people:
 * then there is none.
 */
function authorizationOf(request: IncomingMessage): string | undefined {
  const [first, ...others] = headerValues(request, 'authorization');
  return others.every((other) => other === first) ? first : undefined;
}

function checkScope(scopes: readonly string[] | undefined, needed: Scope | undefined): void {
  if (needed === undefined || scopes === undefined || scopes.includes(needed)) return;
  throw new ApiError('insufficient_scope', `The key needs the scope ${needed}.`);
}
