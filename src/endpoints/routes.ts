import { PAGE_SCHEMA, pageOf, readPage } from '../http/page.ts';
import { accountRoute, type Route } from '../http/route.ts';
import { NO_MEMBERS } from '../http/schema-words.ts';
import type { Clock } from '../kernel/clock.ts';
import { firstIdOfMs, parseId } from '../kernel/ids.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import type { ReadsInTurn } from '../kernel/reads-in-turn.ts';
import type { Sealer } from '../kernel/sealed.ts';
import type { Database } from '../store/database.ts';
import { createEndpoint, patchEndpoint, removeEndpoint, renewSecret } from './change.ts';
import { checkSignatureRoute } from './check-signature-route.ts';
import type { Attempts } from './deliver/attempt.ts';
import { listAttempts } from './deliver/attempt-store.ts';
import { endpointOperations } from './operations.ts';
import { presentAttempt, presentEndpoint } from './present.ts';
import { replayRoute } from './replay.ts';
import { ATTEMPTS_QUERY, createBody, patchBody, ROTATE_BODY } from './requests.ts';
import { endpointKey, requireEndpoint } from './require.ts';
import { listEndpoints } from './store.ts';
import { createTests } from './test-event.ts';

export interface EndpointDeps {
  database: Database;
  inTurn: ReadsInTurn;
  sealer: Sealer;
  clock: Clock;
  attempts: Attempts;
  /** Whether test endpoints may use http and loopback. */
  localEndpoints: boolean;
  publicUrl(): string;
  docsUrl(): string;
  /** Attempts that are older are not shown any more, whether or not they are still stored. */
  limits(): KeepLimits;
  /** The process stops. */
  closing: AbortSignal;
  /** Deliveries were enqueued. */
  nudge(): void;
  /** An endpoint is not what it was. */
  changed(endpointId: string): void;
}

const PATH = '/api/v1/endpoints';
const ONE = `${PATH}/:id`;
const SCOPE = 'endpoints:manage';
const OVERLAP_SECONDS_DEFAULT = 86_400;

/** Customers' own endpoints: managing them, and finding out why something did not arrive. */
export function endpointRoutes(deps: EndpointDeps): Route[] {
  return [
    createRoute(deps),
    ...readingRoutes(deps),
    ...changingRoutes(deps),
    rotateRoute(deps),
    testRoute(deps),
    attemptsRoute(deps),
    replayRoute(`${ONE}/replay`, deps),
    checkSignatureRoute(`${ONE}/check-signature`, deps),
  ];
}

function createRoute(deps: EndpointDeps): Route {
  return accountRoute({
    method: 'POST',
    path: PATH,
    scope: SCOPE,
    summary: 'Create an endpoint; its secret is shown once',
    operation: endpointOperations.create,
    bodyUse: 'json',
    bodySchema: createBody(deps.localEndpoints),
    async handle({ principal, body }) {
      const { row, secret } = await createEndpoint(deps, principal, body);
      const endpoint = presentEndpoint(row);
      const headers = { location: `${deps.publicUrl()}${PATH}/${endpoint.id}` };
      return { status: 201, body: { ...endpoint, secret }, headers };
    },
  });
}

function readingRoutes({ database }: EndpointDeps): Route[] {
  return [
    accountRoute({
      method: 'GET',
      path: PATH,
      scope: SCOPE,
      summary: "List the endpoints of the key's mode, newest first",
      operation: endpointOperations.list,
      bodyUse: 'none',
      querySchema: PAGE_SCHEMA,
      async handle({ principal, query }) {
        const page = readPage(query);
        const rows = await listEndpoints(database, principal, { ...page, limit: page.limit + 1 });
        return { status: 200, body: pageOf(rows, page, rows.map(presentEndpoint)) };
      },
    }),
    accountRoute({
      method: 'GET',
      path: ONE,
      scope: SCOPE,
      summary: 'Read an endpoint',
      operation: endpointOperations.read,
      bodyUse: 'none',
      async handle({ principal, params }) {
        return {
          status: 200,
          body: presentEndpoint(await requireEndpoint(database, endpointKey(principal, params.id))),
        };
      },
    }),
  ];
}

function changingRoutes(deps: EndpointDeps): Route[] {
  return [
    accountRoute({
      method: 'PATCH',
      path: ONE,
      scope: SCOPE,
      summary: 'Change an endpoint, or turn it on or off',
      operation: endpointOperations.change,
      bodyUse: 'json',
      bodySchema: patchBody(deps.localEndpoints),
      async handle({ principal, params, body }) {
        const row = await patchEndpoint(deps, principal, endpointKey(principal, params.id), body);
        deps.changed(row.id);
        return { status: 200, body: presentEndpoint(row) };
      },
    }),
    accountRoute({
      method: 'DELETE',
      path: ONE,
      scope: SCOPE,
      summary: 'Delete an endpoint, with everything on its way to it',
      operation: endpointOperations.remove,
      bodyUse: 'none',
      async handle({ principal, params }) {
        const key = endpointKey(principal, params.id);
        await removeEndpoint(deps, principal, key);
        deps.changed(key.id);
        return { status: 204 };
      },
    }),
  ];
}

function rotateRoute(deps: EndpointDeps): Route {
  return accountRoute({
    method: 'POST',
    path: `${ONE}/rotate-secret`,
    scope: SCOPE,
    summary: 'Make a new secret; the old one signs too for a while',
    operation: endpointOperations.rotate,
    bodyUse: 'json_or_empty',
    bodySchema: ROTATE_BODY,
    async handle({ principal, params, body }) {
      const overlapSeconds = body.overlap_seconds ?? OVERLAP_SECONDS_DEFAULT;
      const key = endpointKey(principal, params.id);
      const { secret, previousExpiresAt } = await renewSecret(deps, principal, key, overlapSeconds);
      deps.changed(key.id);
      return { status: 200, body: { secret, previous_expires_at: previousExpiresAt?.toISOString() ?? null } };
    },
  });
}

function testRoute(deps: EndpointDeps): Route {
  const tests = createTests(deps);
  return accountRoute({
    method: 'POST',
    path: `${ONE}/test`,
    scope: SCOPE,
    summary: 'Send a test event once, and see what came of it',
    operation: endpointOperations.test,
    bodyUse: 'json_or_empty',
    bodySchema: NO_MEMBERS,
    async handle({ principal, params }) {
      const row = await requireEndpoint(deps.database, endpointKey(principal, params.id));
      return { status: 200, body: presentAttempt(await tests.send(row)) };
    },
  });
}

function attemptsRoute({ database, inTurn, limits }: EndpointDeps): Route {
  return accountRoute({
    method: 'GET',
    path: `${ONE}/attempts`,
    scope: SCOPE,
    summary: 'List the attempts at an endpoint, newest first',
    operation: endpointOperations.attempts,
    bodyUse: 'none',
    querySchema: ATTEMPTS_QUERY,
    async handle({ principal, params, query }) {
      const key = endpointKey(principal, params.id);
      await requireEndpoint(database, key);
      const page = readPage(query);
      const eventId = query.event_id === undefined ? null : parseId('evt', query.event_id);
      // An id that is not well formed belongs to no event.
      if (eventId === undefined) return { status: 200, body: pageOf([], page, []) };
      const from = firstIdOfMs(limits().eventsFromMs);
      const filter = { eventId, outcome: query.outcome ?? null, before: page.before, from };
      const list = () => listAttempts(database, key, filter, page.limit + 1);
      // Most events have few, but one that was replayed again and again may have a hundred thousand, and all are looked through.
      const rows = eventId === null ? await list() : await inTurn(principal.accountId, list);
      return { status: 200, body: pageOf(rows, page, rows.map(presentAttempt)) };
    },
  });
}
