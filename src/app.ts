import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createAuthenticate } from './accounts/authenticate.ts';
import { createKeyUses } from './accounts/key-uses.ts';
import { checkMasterKey } from './accounts/master-key.ts';
import { accountRoutes } from './accounts/routes.ts';
import { describeGateway } from './api-description.ts';
import { createChannels } from './channels/channels.ts';
import { bearTestChannel } from './channels/connect.ts';
import { createPacing } from './channels/pacing.ts';
import { channelRoutes } from './channels/routes.ts';
import { closeParts } from './close-parts.ts';
import type { Config } from './config.ts';
import { consoleRoutes } from './console-site/routes.ts';
import { docsRoutes } from './docs-site/routes.ts';
import { startPoster } from './endpoints/call/start-poster.ts';
import { createAttempts } from './endpoints/deliver/attempt.ts';
import { POLL_MS as DELIVERIES_POLL_MS, type Deliveries, startDeliveries } from './endpoints/deliver/deliver.ts';
import { endpointRoutes } from './endpoints/routes.ts';
import { createPersonMark } from './erasure/person-mark.ts';
import { erasureRoutes } from './erasure/routes.ts';
import { settledAfterMs } from './erasure/settled.ts';
import { eventRoutes } from './events/routes.ts';
import { createTail, POLL_MS as TAIL_POLL_MS } from './events/tail.ts';
import { closeServer } from './http/close-server.ts';
import { healthRoutes } from './http/health.ts';
import { apiDescriptionRoutes } from './http/openapi/routes.ts';
import { createRateLimits, rateLimited } from './http/rate-limit.ts';
import { stateOf } from './http/request-state.ts';
import type { Route } from './http/route.ts';
import { createServer } from './http/server.ts';
import { readUnreadCalls } from './http/unread-calls.ts';
import { type Sweeps, startSweeps } from './jobs/sweeps.ts';
import { systemClock as clock } from './kernel/clock.ts';
import { createInFlight } from './kernel/in-flight.ts';
import { type KeepLimits, keepLimits } from './kernel/keep.ts';
import { type RunStep, runOnce } from './kernel/run-step.ts';
import { createSealer, type Sealer } from './kernel/sealed.ts';
import { createLedger, type Ledger, STRAYS_EVERY_MS } from './messages/commit/ledger.ts';
import { messageRoutes } from './messages/routes.ts';
import { createFindReplay } from './messages/send/idempotency.ts';
import { createIsTransmitting } from './messages/send/is-transmitting.ts';
import { createSends } from './messages/send/send.ts';
import { BEAT_MS, joinNodes } from './nodes/node.ts';
import { createBacklog } from './notifications/backlog.ts';
import { POLL_MS as PROCESSOR_POLL_MS, startProcessor } from './notifications/processor.ts';
import { createIntake } from './notifications/receive.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { createUntilApplied } from './notifications/until-applied.ts';
import { createTraces } from './observe/traces.ts';
import { platformStateRoute } from './platform-state/route.ts';
import { createWhatsAppProvider } from './provider/whatsapp/client/client.ts';
import { decodeNotification } from './provider/whatsapp/decode/decode.ts';
import { numberHint } from './provider/whatsapp/decode/number-hint.ts';
import { checkAgainstTemplate } from './provider/whatsapp/template/check.ts';
import { checkComponents } from './provider/whatsapp/template/components.ts';
import { platformRounds } from './rounds.ts';
import type { Secrets } from './secrets.ts';
import { createNotedMinutes, type NotedMinutes } from './statistics/mark.ts';
import { statisticsRounds } from './statistics/rounds.ts';
import { statisticsRoutes } from './statistics/routes.ts';
import type { Database, Queryable } from './store/database.ts';
import { isPassingFailure } from './store/passing-failure.ts';
import { createTemplateRegistry, type TemplateRegistry } from './templates/registry.ts';
import { templateRoutes } from './templates/routes.ts';
import { templateRounds } from './templates/schedule.ts';
import { VERSION } from './version.ts';
import { metricsRoute } from './watch/metrics-route.ts';
import { createWatch, type Watch } from './watch/watch.ts';

/** 0 would mean no limit to Node. */
const DRAINING_KEEP_ALIVE_MS = 1;

/** Where the console's build leaves its files. */
const CONSOLE_DIST = fileURLToPath(new URL('../console/dist', import.meta.url));

export interface AppDeps {
  config: Config;
  secrets: Secrets;
  database: Database;
  log: Logger;
  /** undefined: the sandbox is off. */
  sandboxUrl: string | undefined;
  /** For what needs the database before anything is taken; without it, a database that is away ends the start. */
  runStep?: RunStep;
}

export interface App {
  server: FastifyInstance;
  /** The routes of the public listener, as data. */
  routes: readonly Route[];
  internalServer: FastifyInstance;
  /** Gives a new account what each is born with; for accounts that are not made through the API. */
  birth(tx: Queryable, accountId: string): Promise<void>;
  /** To be called once the listener has its address: settles what a crash has left, then takes work. */
  begin(listenedUrl: string): Promise<void>;
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

/** What changes while the process lives. Its parts ask for it each time. */
interface Life {
  /** Without a final slash. */
  publicUrl: string;
  accepting: boolean;
  /** It will stop soon, or is stopping: balancers are told, and callers' connections are not kept open. */
  leaving: boolean;
  /** Ends streams and waiting reads. */
  closing: AbortController;
  /** undefined until `begin`, because what it sends names our address. */
  deliveries: Deliveries | undefined;
}

/** Puts the slices and adapters together: the only place that knows both. */
export async function createApp(given: AppDeps): Promise<App> {
  const { config, secrets, log, runStep = runOnce } = given;
  const sealer = createSealer(secrets.masterKey);
  await runStep(() => checkMasterKey(given.database, sealer));
  const life: Life = {
    publicUrl: config.publicUrl ?? '',
    accepting: false,
    leaving: false,
    closing: new AbortController(),
    deliveries: undefined,
  };
  const traces = await createTraces(config.traces, VERSION, () => log.warn('traces.not_exported'));
  const watch = createWatch({
    ...{ database: given.database, log, traces, version: VERSION },
    accepting: () => life.accepting,
  });
  const { database } = watch;
  const deps = { ...given, database, watch, runStep };
  const parts = await createParts(deps, sealer, life);
  const routes = listRoutes(deps, sealer, life, parts);
  const listener = createListener(deps, life, parts);
  const server = createServer({ ...listener, routes });
  const internalRoutes = [...createHealth(life, parts), metricsRoute(watch.metrics)];
  const internalServer = createServer({ ...listener, routes: internalRoutes });
  let sweeps: Sweeps | undefined;
  return {
    server,
    routes,
    internalServer,
    birth: parts.birth,
    async begin(listenedUrl) {
      life.publicUrl = config.publicUrl ?? listenedUrl;
      const { node, docsUrl, rounds, attempts } = parts;
      const sweeping = { database, node, docsUrl, log, rounds, keep: config.keep };
      sweeps = await startSweeps({ ...sweeping, watch: watch.loop, runStep });
      life.deliveries = startDeliveries({
        ...{ database, nodeId: node.id, attempts, clock, docsUrl, log, onAttempt: watch.onAttempt },
        watch: watch.loop('deliveries', DELIVERIES_POLL_MS / 1_000),
        onCommit: (made) => watch.onCommit('attempts', made),
      });
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
    close: (untilMs = Number.POSITIVE_INFINITY) =>
      closeParts({ ...parts, ...{ log, deliveries: life.deliveries, sweeps, internalServer, traces } }, untilMs),
  };
}

/** What all parts get: the database is the watched one. */
type WatchedDeps = AppDeps & { watch: Watch; runStep: RunStep };

type Parts = Awaited<ReturnType<typeof createParts>>;

/** The listener stays while sends are under way: new callers get a 503, and not a refused connection. */
async function endCalls(server: App['server'], { sends, ledger, calls }: Parts, untilMs: number): Promise<void> {
  await sends.idle(untilMs);
  await readUnreadCalls(server.server);
  await closeServer(server, calls, untilMs);
  // A call whose body came in meanwhile may have begun a send.
  await sends.idle(untilMs);
  await ledger.idle();
}

/** Everything that works on its own or serves the routes, each part after those that it needs. */
async function createParts(deps: WatchedDeps, sealer: Sealer, life: Life) {
  const { config, secrets, database, log, sandboxUrl, watch, runStep } = deps;
  const sandbox = sandboxUrl !== undefined;
  const docsUrl = () => `${life.publicUrl}/docs/errors`;
  const node = await joinNodes({ database, log, watch: watch.loop('lease', BEAT_MS / 1_000), runStep });
  const whatsApp = createWhatsAppProvider({
    live: { url: config.providerUrl, version: config.providerVersion },
    ...(sandbox && { sandbox: { url: sandboxUrl, version: config.providerVersion } }),
    timeoutMs: config.providerTimeoutMs,
    connections: config.providerConnections,
  });
  const provider = watch.provider(whatsApp);
  const channels = createChannels({ database, sealer, clock, log, sandbox });
  const registry = createTemplateRegistry({ database, provider, clock, suspend: channels.suspend });
  const tail = createTail(database, log, watch.loop('tail', TAIL_POLL_MS / 1_000, 'onDemand'));
  const poster = startPoster();
  watch.metrics.deliveries.askOf(poster);
  const { localEndpoints } = config;
  const attempts = createAttempts({ poster, sealer, clock, localEndpoints, traces: watch.traces });
  const onEvents = () => {
    tail.nudge();
    life.deliveries?.nudge();
  };
  const notedMinutes = createNotedMinutes(database);
  const ledger = noteSettled(watch.ledger(createLedger(database, log, onEvents, watch.onCommit)), notedMinutes);
  const pacing = watch.pacing(createPacing(database, clock));
  const { sendDeadlineMs: answerWithinMs, sendsMax } = config;
  const findReplay = createFindReplay(database);
  const looks = { isTransmitting: createIsTransmitting(database), untilApplied: createUntilApplied(database) };
  const transmitting = { database, ledger, ...looks, channels, provider, pacing, clock, log, nodeId: node.id };
  const sends = watch.sends(
    createSends({ ...transmitting, findReplay, registry, checkAgainstTemplate, docsUrl, answerWithinMs, sendsMax }),
  );
  const limits = limitsOf(config);
  const messagesFromMs = () => limits().messagesFromMs;
  const applying = { decode: decodeNotification, nowMs: () => clock.nowMs(), messagesFromMs };
  const watching = { watch: watch.loop('processor', PROCESSOR_POLL_MS / 1_000), onBatch: onBatch(watch, registry) };
  const backlog = createBacklog();
  const applyDeps = { ...applying, ...watching, onClaim: backlog.beginClaim };
  const processor = startProcessor(database, applyDeps, log, onEvents);
  const keyUses = createKeyUses(database, clock);
  const rounds = [
    ...templateRounds({ database, channels, registry, closing: life.closing.signal }),
    { name: 'strays', run: () => ledger.withdrawStrays(node.id), everyMs: STRAYS_EVERY_MS },
    ...platformRounds({
      ...{ database, provider, sealer, sandbox, keyUses, keep: config.keep, clock, log },
      ...{ settledMs: settledAfterMs(config), closing: life.closing.signal },
    }),
    ...statisticsRounds({ database, noted: notedMinutes, days: config.keep, clock }),
  ];
  const authenticate = createAuthenticate({
    database,
    platformKeys: secrets.platformKeys,
    clock,
    onUsed: keyUses.note,
  });
  const rateLimits = createRateLimits({ requests: config.rateRequests, recipients: config.rateRecipients }, clock);
  const birth = (tx: Queryable, accountId: string) => bearTestChannel(tx, sealer, accountId);
  return {
    ...{ sandbox, docsUrl, node, provider, channels, registry, tail, attempts, ledger, sends, findReplay },
    ...{ processor, backlog, keyUses, notedMinutes, rounds, authenticate, birth, rateLimits },
    ...{ markOf: createPersonMark(secrets.masterKey), calls: createInFlight() },
  };
}

/** News of a template hold from the next send on. */
function onBatch(watch: Watch, registry: TemplateRegistry): Watch['onBatch'] {
  return (batch, durationMs) => {
    if (batch.itemKinds.some((kind) => kind.startsWith('template_'))) registry.forget();
    watch.onBatch(batch, durationMs);
  };
}

/** The limits of keeping as they are when asked for. */
function limitsOf({ keep }: Config): () => KeepLimits {
  return () => keepLimits(keep, clock.nowMs());
}

/** Has what sends commit counted soon, without a statement of its own. */
function noteSettled(ledger: Ledger, noted: NotedMinutes): Ledger {
  return {
    ...ledger,
    async settle(settlement) {
      await ledger.settle(settlement);
      for (const { accountId, message } of settlement.settled) noted.note({ accountId, messageId: message.id });
    },
  };
}

function createListener({ log, watch }: WatchedDeps, life: Life, { authenticate, docsUrl, rateLimits, calls }: Parts) {
  return {
    ...{ authenticate, docsUrl, rateLimits, log, calls, onAnswered: watch.onAnswered, isPassing: isPassingFailure },
    accepting: () => life.accepting,
    leaving: () => life.leaving,
  };
}

function createHealth(life: Life, { node, docsUrl }: Parts): Route[] {
  return healthRoutes({
    accepting: () => life.accepting,
    leaving: () => life.leaving,
    commit: node.renewLease,
    docsUrl,
    clock,
  });
}

/** All routes of the public listener. */
export function listRoutes(deps: WatchedDeps, sealer: Sealer, life: Life, parts: Parts): Route[] {
  const routes: Route[] = [
    ...createRoutes(deps, sealer, life, parts),
    ...createHealth(life, parts),
    ...docsRoutes(),
    ...consoleRoutes(CONSOLE_DIST),
    ...apiDescriptionRoutes({ describe: (url) => describeGateway(routes, url), publicUrl: () => life.publicUrl }),
  ];
  return routes;
}

/** The routes that accounts, the platform and the provider call. */
function createRoutes(deps: WatchedDeps, sealer: Sealer, life: Life, parts: Parts): Route[] {
  const { config, secrets, database, watch } = deps;
  const { sandbox, docsUrl, provider, channels, registry, processor, backlog, birth } = parts;
  const publicUrl = () => life.publicUrl;
  const received = createIntake({
    database,
    secrets: { live: secrets.appSecrets, test: sandbox ? [secrets.sandboxAppSecret] : [] },
    count: (rawBody) => backlog.add(numberHint(rawBody), rawBody.length),
    onReceived: processor.nudge,
    onCommit: (notifications) => watch.onCommit('notifications', notifications),
  });
  const intake = watch.intake(received);
  const { sends, findReplay } = parts;
  const sending = { database, sends, findReplay, channels, registry, checkAgainstTemplate, checkComponents };
  const { tail, attempts, authenticate } = parts;
  const { localEndpoints } = config;
  const takeRecipients = (call: IncomingMessage, keyId: string, recipients: number) => {
    if (!parts.rateLimits.take('recipients', keyId, recipients, stateOf(call).rateLeft))
      throw rateLimited('recipients');
  };
  const deliveries = {
    nudge: () => life.deliveries?.nudge(),
    changed: (endpointId: string) => life.deliveries?.changed(endpointId),
  };
  const limits = limitsOf(config);
  return [
    ...messageRoutes({ ...sending, takeRecipients, docsUrl, clock, limits }),
    ...statisticsRoutes({ database, clock }),
    ...templateRoutes({ database, channels, registry }),
    ...eventRoutes({ database, tail, docsUrl, closing: life.closing.signal, authenticate }),
    ...endpointRoutes({
      ...{ database, sealer, clock, attempts, localEndpoints, publicUrl, docsUrl, limits, ...deliveries },
      closing: life.closing.signal,
    }),
    ...accountRoutes({ database, birth, clock, publicUrl, onKeysChanged: authenticate.forgetKeys }),
    platformStateRoute(database),
    ...channelRoutes({ database, provider, sealer, channels, sandbox, publicUrl }),
    ...erasureRoutes({
      ...{ database, markOf: parts.markOf },
      ...{ onKeysChanged: authenticate.forgetKeys, onEndpointChanged: deliveries.changed },
    }),
    ...notificationRoutes({ database, intake, verifyTokens: secrets.verifyTokens, nudge: processor.nudge, limits }),
  ];
}
