import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createAuthenticate } from './accounts/authenticate.ts';
import { checkMasterKey } from './accounts/master-key.ts';
import { accountRoutes } from './accounts/routes.ts';
import { createChannels } from './channels/channels.ts';
import { bearTestChannel } from './channels/connect.ts';
import { channelRoutes } from './channels/routes.ts';
import { createChannelTargets } from './channels/targets.ts';
import type { Config } from './config.ts';
import { eventRoutes } from './events/routes.ts';
import { createTail } from './events/tail.ts';
import { errorPageRoute } from './http/error-pages.ts';
import { healthRoutes } from './http/health.ts';
import { createRateLimits } from './http/rate-limit.ts';
import { createServer, rateLimited } from './http/server.ts';
import { startSweeps } from './jobs/sweeps.ts';
import { systemClock } from './kernel/clock.ts';
import { createSealer } from './kernel/sealed.ts';
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
import type { Secrets } from './secrets.ts';
import type { Database, Queryable } from './store/database.ts';
import { createTemplates } from './templates/templates.ts';

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
  internalServer: FastifyInstance;
  /** What an account is born with; for accounts that are not made through the API. */
  birth(tx: Queryable, accountId: string): Promise<void>;
  /** To be told once the listener has its port. */
  setPublicUrl(url: string): void;
  /** Refuses new work and resolves when all that is under way is settled and committed. */
  drain(): Promise<void>;
  /** Ends the loops and takes this node's record away. */
  close(): Promise<void>;
}

/** Puts the slices and adapters together: the only place that knows both. Recovers first what a crash has left. */
export async function createApp({ config, secrets, database, log, sandboxUrl }: AppDeps): Promise<App> {
  const clock = systemClock;
  const sealer = createSealer(secrets.masterKey);
  await checkMasterKey(database, sealer);
  let publicUrl = config.publicUrl ?? '';
  let accepting = true;
  const docsUrl = () => `${publicUrl}/docs/errors`;

  const node = await joinNodes({ database, log });
  const version = config.providerVersion;
  const provider = createWhatsAppProvider({
    live: { url: config.providerUrl, version },
    ...(sandboxUrl !== undefined && { sandbox: { url: sandboxUrl, version } }),
    timeoutMs: config.providerTimeoutMs,
    connections: config.providerConnections,
  });
  const sandbox = sandboxUrl !== undefined;
  const channels = createChannels({ database, sealer, clock, sandbox });
  const templates = createTemplates(provider, clock);
  const ledger = createLedger(database, log);
  const { sendDeadlineMs: deadlineMs, sendsMax } = config;
  const sends = createSends({
    database,
    ledger,
    channels,
    templates,
    provider,
    clock,
    log,
    nodeId: node.id,
    docsUrl,
    deadlineMs,
    sendsMax,
  });
  const sweeps = await startSweeps({ database, node, docsUrl, log });

  const targets = createChannelTargets(database, clock);
  const applying = { decode: decodeNotification, targets, nowMs: () => clock.nowMs() };
  const tail = createTail(database, log);
  const closing = new AbortController();
  const processor = startProcessor(database, applying, log, tail.nudge);
  const callbackSecrets = { live: secrets.appSecrets, test: sandbox ? [secrets.sandboxAppSecret] : [] };
  const intake = createIntake({ database, secrets: callbackSecrets, onReceived: processor.nudge });
  const { verifyTokens } = secrets;

  const quotas = { requests: config.rateRequests, recipients: config.rateRecipients };
  const rateLimits = createRateLimits(quotas, clock);
  const takeRecipients = ({ keyId }: { keyId: string }, recipients: number) => {
    const rate = rateLimits.take('recipients', keyId, recipients);
    if (!rate.taken) throw rateLimited('recipients', rate.retryAfterSeconds);
  };
  const birth = (tx: Queryable, accountId: string) => bearTestChannel(tx, sealer, accountId);
  const health = healthRoutes({ accepting: () => accepting, commit: node.renewLease, clock });
  const authenticate = createAuthenticate({ database, platformKeys: secrets.platformKeys, clock });
  const common = {
    authenticate,
    rateLimits,
    docsUrl,
    accepting: () => accepting,
    log,
  };
  const server = createServer({
    ...common,
    routes: [
      ...messageRoutes({ database, sends, channels, templates, checkComponents, takeRecipients, docsUrl, clock }),
      ...accountRoutes({ database, birth, clock, publicUrl: () => publicUrl }),
      ...channelRoutes({ database, provider, sealer, sandbox, publicUrl: () => publicUrl }),
      ...notificationRoutes({ database, intake, verifyTokens, nudge: processor.nudge }),
      ...eventRoutes({ database, tail, docsUrl, closing: closing.signal, authenticate }),
      ...health,
      errorPageRoute(),
    ],
  });
  const internalServer = createServer({ ...common, routes: health });

  return {
    server,
    internalServer,
    birth,
    setPublicUrl(url) {
      publicUrl = config.publicUrl ?? url;
    },
    async drain() {
      accepting = false;
      closing.abort();
      await server.close();
      await sends.idle();
      await ledger.idle();
    },
    async close() {
      await processor.stop();
      await sweeps.stop();
      await provider.close();
      await internalServer.close();
      await node.leave();
    },
  };
}
