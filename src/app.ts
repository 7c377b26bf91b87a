import type { FastifyInstance } from 'fastify';
import { type AppDeps, type Base, createBase } from './base.ts';
import { closeParts } from './close-parts.ts';
import { POLL_MS as DELIVERIES_POLL_MS, type Deliveries, startDeliveries } from './endpoints/deliver/deliver.ts';
import { closeServer } from './http/close-server.ts';
import { createServer } from './http/server.ts';
import { readUnreadCalls } from './http/unread-calls.ts';
import { type RunningRounds, startRounds } from './jobs/start-rounds.ts';
import { createParts, type Parts } from './parts.ts';
import { listInternalRoutes, listRoutes } from './routes.ts';
import type { Queryable } from './store/database.ts';
import { isPassingFailure } from './store/passing-failure.ts';

/** 0 would mean no limit to Node. */
const DRAINING_KEEP_ALIVE_MS = 1;

export interface App {
  /** The public listener. */
  server: FastifyInstance;
  internalServer: FastifyInstance;
  /** Gives a new account what each is born with; for accounts that are not made through the API. */
  birth(tx: Queryable, accountId: string): Promise<void>;
  /** To be called once the public listener has its address: from then on answers name it, also those that say that it starts. */
  listened(url: string): void;
  /** To be called after that: settles what a crash has left, then takes work. */
  begin(): Promise<void>;
  /** From now on `/readyz` says 503, so that a balancer sends no more, while work is still taken. */
  announceStop(): void;
  /**
   * Refuses new work and resolves when all that is under way is settled and committed. Late answers of the provider, and calls
   * that are no sends, are waited for until `untilMs` at the latest, a time of `performance.now()`.
   */
  drain(untilMs?: number): Promise<void>;
  /**
   * Ends the loops and takes this node's record away. What has not ended by `untilMs` is left as it is: other nodes or the next
   * start go on with it.
   */
  close(untilMs?: number): Promise<void>;
}

/** Puts the slices and adapters together, and brings them to life and to an end. */
export async function createApp(deps: AppDeps): Promise<App> {
  const base = await createBase(deps);
  const { config, life, log } = base;
  const parts = await createParts(base);
  const listener = listenerOf(base, parts);
  const server = createServer({ ...listener, routes: listRoutes(base, parts) });
  const internalServer = createServer({ ...listener, routes: listInternalRoutes(base, parts) });
  let runningRounds: RunningRounds | undefined;
  return {
    server,
    internalServer,
    birth: parts.birth,
    listened(url) {
      life.publicUrl = config.publicUrl ?? url;
    },
    async begin() {
      runningRounds = await beginRounds(base, parts);
      life.deliveries = beginDeliveries(base, parts);
      life.accepting = true;
    },
    announceStop() {
      life.leaving = true;
    },
    async drain(untilMs = Number.POSITIVE_INFINITY) {
      life.accepting = false;
      life.leaving = true;
      life.closing.abort();
      // Or a connection whose send is answered meanwhile would stay open as long as any that is kept alive.
      server.server.keepAliveTimeout = DRAINING_KEEP_ALIVE_MS;
      await endCalls(server, parts, untilMs);
    },
    close: (untilMs = Number.POSITIVE_INFINITY) => {
      const { deliveries } = life;
      const { traces } = base.watch;
      return closeParts({ ...parts, log, deliveries, runningRounds, internalServer, traces }, untilMs);
    },
  };
}

/** What both listeners need beside their routes. */
function listenerOf({ life, log, watch, docsUrl }: Base, { authenticate, rateLimits, calls }: Parts) {
  const { onAnswered } = watch;
  return {
    authenticate,
    docsUrl,
    rateLimits,
    log,
    calls,
    onAnswered,
    isPassing: isPassingFailure,
    accepting: () => life.accepting,
    leaving: () => life.leaving,
  };
}

function beginRounds(base: Base, { node, rounds }: Parts): Promise<RunningRounds> {
  const { config, database, log, watch, docsUrl, runStep } = base;
  return startRounds({ database, node, docsUrl, log, rounds, keep: config.keep, watch: watch.loop, runStep });
}

function beginDeliveries(base: Base, { node, attempts }: Parts): Deliveries {
  const { database, clock, log, watch, docsUrl } = base;
  return startDeliveries({
    database,
    nodeId: node.id,
    attempts,
    clock,
    docsUrl,
    log,
    onAttempt: watch.onAttempt,
    watch: watch.loop('deliveries', DELIVERIES_POLL_MS / 1_000),
    onCommit: (made) => watch.onCommit('attempts', made),
  });
}

/** The listener stays while sends are under way: new callers get a 503, and not a refused connection. */
async function endCalls(server: App['server'], { sends, ledger, calls }: Parts, untilMs: number): Promise<void> {
  await sends.idle(untilMs);
  await readUnreadCalls(server.server);
  await closeServer(server, calls, untilMs);
  // A call whose body came in meanwhile may have begun a send.
  await sends.idle(untilMs);
  await ledger.idle();
}
