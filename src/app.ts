import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createAuthenticate } from './accounts/authenticate.ts';
import { createKeyUses } from './accounts/key-uses.ts';
import { checkMasterKey } from './accounts/master-key.ts';
import { accountRoutes } from './accounts/routes.ts';
import { createChannels } from './channels/channels.ts';
import { bearTestChannel } from './channels/connect.ts';
import { createPacing } from './channels/pacing.ts';
import { channelRoutes } from './channels/routes.ts';
import { createChannelTargets } from './channels/targets.ts';
import type { Config } from './config.ts';
import { createAttempts } from './endpoints/attempt.ts';
import { type Deliveries, startDeliveries } from './endpoints/deliver.ts';
import { endpointRoutes } from './endpoints/routes.ts';
import { createPersonMark } from './erasure/person-mark.ts';
import { erasureRoutes } from './erasure/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { createTail } from './events/tail.ts';
import { errorPageRoute } from './http/error-pages.ts';
import { healthRoutes } from './http/health.ts';
import { createRateLimits } from './http/rate-limit.ts';
import type { Route } from './http/route.ts';
import { createServer, rateLimited } from './http/server.ts';
import { type Sweeps, startSweeps } from './jobs/sweeps.ts';
import { systemClock as clock } from './kernel/clock.ts';
import { createSealer, type Sealer } from './kernel/sealed.ts';
import { unlessUnavailable } from './kernel/store-unavailable.ts';
import { createLedger } from './messages/ledger.ts';
import { messageRoutes } from './messages/routes.ts';
import { createSends } from './messages/send.ts';
import { joinNodes } from './nodes/node.ts';
import { startProcessor } from './notifications/processor.ts';
import { createIntake } from './notifications/receive.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { createWhatsAppProvider } from './provider/whatsapp/client.ts';
import { checkComponents } from './provider/whatsapp/components.ts';
import { decodeNotification } from './provider/whatsapp/decode.ts';
import { checkAgainstTemplate } from './provider/whatsapp/template-check.ts';
import { platformRounds } from './rounds.ts';
import type { Secrets } from './secrets.ts';
import type { Database, Queryable } from './store/database.ts';
import { createTemplateRegistry } from './templates/registry.ts';
import { templateRoutes } from './templates/routes.ts';
import { SYNC_LOOK_MS, syncDueTemplates } from './templates/schedule.ts';

/** How long attempts at customers' endpoints may go on when the process stops; what is not done then is due again. */
const ATTEMPTS_STOP_MS = 5_000;

export interface AppDeps {
  config: Config;
  secrets: Secrets;
  database: Database;
  log: Logger;
  /** undefined: the sandbox is off. */
  sandboxUrl: string | undefined;
}

export interface App {
  server: FastifyInstance;
  /** What the public listener answers, as data. */
  routes: readonly Route[];
  internalServer: FastifyInstance;
  /** What an account is born with; for accounts that are not made through the API. */
  birth(tx: Queryable, accountId: string): Promise<void>;
  /** Once the listener has its address: settles what a crash has left, and takes work from then on. */
  begin(listenedUrl: string): Promise<void>;
  /** Refuses new work and resolves when all that is under way is settled and committed. */
  drain(): Promise<void>;
  /** Ends the loops and takes this node's record away. */
  close(): Promise<void>;
}

/** What changes while the process lives, and what its parts ask for. */
interface Life {
  /** Without a final slash. */
  publicUrl: string;
  accepting: boolean;
  /** Ends streams and waiting reads. */
  closing: AbortController;
  /** From the beginning on: what it sends names our address. */
  deliveries: Deliveries | undefined;
}

/** Puts the slices and adapters together: the only place that knows both. */
export async function createApp(deps: AppDeps): Promise<App> {
  const { config, database, secrets, log } = deps;
  const sealer = createSealer(secrets.masterKey);
  await checkMasterKey(database, sealer);
  const life: Life = {
    publicUrl: config.publicUrl ?? '',
    accepting: false,
    closing: new AbortController(),
    deliveries: undefined,
  };
  const parts = await createParts(deps, sealer, life);
  const routes = [...createRoutes(deps, sealer, life, parts), ...createHealth(life, parts), errorPageRoute()];
  const listener = createListener(deps, life, parts);
  const server = createServer({ ...listener, routes });
  const internalServer = createServer({ ...listener, routes: createHealth(life, parts) });
  let sweeps: Sweeps | undefined;
  return {
    server,
    routes,
    internalServer,
    birth: parts.birth,
    async begin(listenedUrl) {
      life.publicUrl = config.publicUrl ?? listenedUrl;
      sweeps = await startSweeps({ database, node: parts.node, docsUrl: parts.docsUrl, log, rounds: parts.rounds });
      life.deliveries = startDeliveries({ database, attempts: parts.attempts, clock, docsUrl: parts.docsUrl, log });
      life.accepting = true;
    },
    async drain() {
      life.accepting = false;
      life.closing.abort();
      await server.close();
      await parts.sends.idle();
      await parts.ledger.idle();
    },
    async close() {
      await parts.processor.stop();
      await life.deliveries?.stop(ATTEMPTS_STOP_MS);
      await parts.attempts.close();
      await sweeps?.stop();
      await unlessUnavailable(parts.keyUses.flush());
      await parts.provider.close();
      await internalServer.close();
      await parts.node.leave();
    },
  };
}

type Parts = Awaited<ReturnType<typeof createParts>>;

/** Everything that works on its own or serves the routes, in the order of what needs what. */
async function createParts({ config, secrets, database, log, sandboxUrl }: AppDeps, sealer: Sealer, life: Life) {
  const sandbox = sandboxUrl !== undefined;
  const docsUrl = () => `${life.publicUrl}/docs/errors`;
  const node = await joinNodes({ database, log });
  const provider = createWhatsAppProvider({
    live: { url: config.providerUrl, version: config.providerVersion },
    ...(sandbox && { sandbox: { url: sandboxUrl, version: config.providerVersion } }),
    timeoutMs: config.providerTimeoutMs,
    connections: config.providerConnections,
  });
  const channels = createChannels({ database, sealer, clock, sandbox });
  const registry = createTemplateRegistry({ database, provider, clock });
  const tail = createTail(database, log);
  const attempts = createAttempts({ sealer, clock, localEndpoints: config.localEndpoints });
  const onEvents = () => {
    tail.nudge();
    life.deliveries?.nudge();
  };
  const ledger = createLedger(database, log, onEvents);
  const pacing = createPacing(database, clock);
  const { sendDeadlineMs: deadlineMs, sendsMax } = config;
  const transmitting = { database, ledger, channels, provider, pacing, clock, log, nodeId: node.id };
  const sends = createSends({ ...transmitting, registry, checkAgainstTemplate, docsUrl, deadlineMs, sendsMax });
  const targets = createChannelTargets(database, clock);
  const applying = { decode: decodeNotification, targets, nowMs: () => clock.nowMs() };
  const processor = startProcessor(database, applying, log, onEvents);
  const keyUses = createKeyUses(database, clock);
  const rounds = [
    { run: () => syncDueTemplates({ database, channels, registry }), everyMs: SYNC_LOOK_MS },
    ...platformRounds({ database, provider, sealer, sandbox, keyUses }),
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
    ...{ sandbox, docsUrl, node, provider, channels, registry, tail, attempts, ledger, sends },
    ...{ processor, keyUses, rounds, authenticate, birth, rateLimits },
  };
}

function createListener({ log }: AppDeps, life: Life, { authenticate, docsUrl, rateLimits }: Parts) {
  return { authenticate, docsUrl, rateLimits, accepting: () => life.accepting, log };
}

function createHealth(life: Life, { node }: Parts): Route[] {
  return healthRoutes({ accepting: () => life.accepting, commit: node.renewLease, clock });
}

/** What accounts, the platform and the provider call. */
function createRoutes({ config, secrets, database }: AppDeps, sealer: Sealer, life: Life, parts: Parts): Route[] {
  const { sandbox, docsUrl, provider, channels, registry, processor, birth } = parts;
  const publicUrl = () => life.publicUrl;
  const intake = createIntake({
    database,
    secrets: { live: secrets.appSecrets, test: sandbox ? [secrets.sandboxAppSecret] : [] },
    onReceived: processor.nudge,
  });
  const sending = { database, sends: parts.sends, channels, registry, checkAgainstTemplate, checkComponents };
  const { tail, attempts, authenticate } = parts;
  const { localEndpoints } = config;
  const takeRecipients = ({ keyId }: { keyId: string }, recipients: number) => {
    const rate = parts.rateLimits.take('recipients', keyId, recipients);
    if (!rate.taken) throw rateLimited('recipients', rate.retryAfterSeconds);
  };
  const nudge = () => life.deliveries?.nudge();
  return [
    ...messageRoutes({ ...sending, takeRecipients, docsUrl, clock }),
    ...templateRoutes({ database, channels, registry }),
    ...eventRoutes({ database, tail, docsUrl, closing: life.closing.signal, authenticate }),
    ...endpointRoutes({ database, sealer, clock, attempts, localEndpoints, publicUrl, docsUrl, nudge }),
    ...accountRoutes({ database, birth, clock, publicUrl }),
    ...channelRoutes({ database, provider, sealer, sandbox, publicUrl }),
    ...erasureRoutes({ database, markOf: createPersonMark(secrets.masterKey) }),
    ...notificationRoutes({ database, intake, verifyTokens: secrets.verifyTokens, nudge: processor.nudge }),
  ];
}
