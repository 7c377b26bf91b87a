import type { IncomingMessage } from 'node:http';
import { newId } from '../kernel/ids.ts';
import type { AccountPrincipal, Principal } from '../kernel/principal.ts';
import type { RateLeft } from './rate-limit.ts';

/** What the server knows of one call beside what Fastify knows. */
export interface RequestState {
  requestId: string;
  principal: Principal | undefined;
  /** When the principal was last looked at, on a clock that only passes. */
  admittedMs: number;
  /** How long the first look at its key has kept it waiting. */
  admittingMs: number;
  /** When all of it had come, on the same clock, and that much sooner: how long the body takes to come is the caller's affair. */
  arrivedMs: number;
  /** What the call has left of its key's rates. */
  rateLeft: RateLeft;
  rawBody: Buffer;
  /** When all of the answer was written, of one whose end comes later: see `lingering`. */
  answeredMs: number | undefined;
  /** The code of the error that was answered. */
  errorCode: string | undefined;
}

/** On the call itself: a weak map of many short-lived calls is work for every garbage collection. */
const STATE: unique symbol = Symbol('waypost.state');
declare module 'node:http' {
  interface IncomingMessage {
    [STATE]?: RequestState;
  }
}

const EMPTY = Buffer.alloc(0);

/** The state of a call, made when it is first asked for. */
export function stateOf(raw: IncomingMessage): RequestState {
  raw[STATE] ??= {
    requestId: newId(),
    principal: undefined,
    admittedMs: 0,
    admittingMs: 0,
    arrivedMs: 0,
    rateLeft: { requests: undefined, recipients: undefined },
    rawBody: EMPTY,
    answeredMs: undefined,
    errorCode: undefined,
  };
  return raw[STATE];
}

/** How long a call has been kept waiting since it arrived. */
export function waitedMs(raw: IncomingMessage): number {
  return performance.now() - stateOf(raw).arrivedMs;
}

/** The account's principal of a call, if an account's key made it. */
export function accountOf(raw: IncomingMessage): AccountPrincipal | undefined {
  const { principal } = stateOf(raw);
  return principal?.kind === 'account' ? principal : undefined;
}
