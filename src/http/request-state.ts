import type { IncomingMessage } from 'node:http';
import { newId } from '../kernel/ids.ts';
import type { AccountPrincipal, Principal } from '../kernel/principal.ts';

/** What the server knows of one call beside what Fastify knows. */
export interface RequestState {
  requestId: string;
  principal: Principal | undefined;
  rawBody: Buffer;
  /** The code of the error that was answered. */
  errorCode: string | undefined;
}

const EMPTY = Buffer.alloc(0);
const states = new WeakMap<IncomingMessage, RequestState>();

/** The state of a call, made when it is first asked for. */
export function stateOf(raw: IncomingMessage): RequestState {
  const known = states.get(raw);
  if (known !== undefined) return known;
  const state: RequestState = { requestId: newId(), principal: undefined, rawBody: EMPTY, errorCode: undefined };
  states.set(raw, state);
  return state;
}

/** The account's principal of a call, if an account's key made it. */
export function accountOf(raw: IncomingMessage): AccountPrincipal | undefined {
  const { principal } = stateOf(raw);
  return principal?.kind === 'account' ? principal : undefined;
}
