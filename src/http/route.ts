import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Fault } from '../kernel/errors.ts';
import type { AccountPrincipal, PlatformPrincipal, Scope } from '../kernel/principal.ts';
import type { Operation } from './operation.ts';

/** Who may call: an account's key (with a scope, if one is named), the platform's key, or anyone. */
export type Access = { by: 'account'; scope?: Scope } | { by: 'platform' } | { by: 'anyone' };

/**
 * What a route does with the request's body. `json` is parsed and checked against `bodySchema`; `send` is parsed, but
 * the route checks it itself, because the idempotency key comes first; `raw` is left as bytes.
 */
export type BodyUse = 'none' | 'json' | 'json_or_empty' | 'send' | 'raw';

/** One HTTP call, as a handler sees it: everything in it has been checked. */
export interface Call<Who, Query, Body> {
  /** The UUID behind the answer's `x-request-id`. */
  requestId: string;
  principal: Who;
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** What is wrong with the query. The server has looked already, except for a `send`, where the idempotency key comes first. */
  queryFaults(): Fault[];
  /** The bytes of the body as they came; empty without one. */
  rawBody: Buffer;
  request: FastifyRequest;
  /**
   * Works on the body once more, where the handler has waited for something since it was called. A large body waits for its turn again,
   * since a turn counts only what is done before the first wait.
   */
  inLine<Result>(work: () => Result): Promise<Result>;
}

export interface Answer {
  status: number;
  /** JSON by default; a string or a Buffer is sent as it is, with the content type in `headers`. */
  body?: unknown;
  /** For a body that is a stream with an end: what it holds in memory for its reader, who is hung up on if he reads nothing. */
  bytesHeld?: number;
  headers?: Record<string, string>;
}

/** One operation of the API, as data: the server, the 405 answers and the API description all read it. */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  access: Access;
  summary: string;
  /** How the API description tells of it; `page` is for what only people look at, and is not told of. */
  operation: Operation | 'page';
  bodyUse: BodyUse;
  bodyBytesMax?: number;
  /**
   * What the caller is told where a commit is in doubt. Unless told, the change may have been made, and the answer is a 500, which leaves
   * that open. `unavailable`: the answer is a 503 all the same, because what may have been stored is taken back, or because the call
   * has one effect however often it is repeated.
   */
  commitInDoubt?: 'unavailable';
  /** Whether it answers while the process drains: only what tells about the process itself does. */
  alsoWhileDraining?: boolean;
  bodySchema?: TSchema | undefined;
  querySchema?: TSchema | undefined;
  /** A method, so that a handler of the checked types fits here: the server calls it only after its own checks. */
  handle(call: Call<unknown, unknown, unknown>): Promise<Answer>;
}

interface RouteOf<Who, Query extends TSchema | undefined, Body extends TSchema | undefined>
  extends Omit<Route, 'access' | 'handle' | 'querySchema' | 'bodySchema'> {
  querySchema?: Query;
  bodySchema?: Body;
  handle(
    call: Call<
      Who,
      Query extends TSchema ? Static<Query> : Record<string, never>,
      Body extends TSchema ? Static<Body> : unknown
    >,
  ): Promise<Answer>;
}

/** A route for an account's key. The server calls `handle` only with what the schemas have accepted. */
export function accountRoute<
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(route: RouteOf<AccountPrincipal, Query, Body> & { scope?: Scope }): Route {
  const { scope, ...rest } = route;
  return { ...rest, access: scope === undefined ? { by: 'account' } : { by: 'account', scope } };
}

/** A route for the platform's key. */
export function platformRoute<
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(route: RouteOf<PlatformPrincipal, Query, Body>): Route {
  return { ...route, access: { by: 'platform' } };
}

/**
 * A route that needs no key. Its query is not checked, because nothing in it is ours to refuse: it is the provider's, or a monitor or a
 * scraper has added to it.
 */
export function publicRoute(route: RouteOf<undefined, undefined, undefined>): Route {
  return { ...route, access: { by: 'anyone' } };
}
