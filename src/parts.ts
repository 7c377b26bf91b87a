import type { IncomingMessage } from 'node:http';
import { createAuthenticate } from './accounts/authenticate.ts';
import { createKeyUses } from './accounts/key-uses.ts';
import type { Base } from './base.ts';
import { createChannels } from './channels/channels.ts';
import { bearTestChannel } from './channels/connect.ts';
import { createPacing } from './channels/pacing.ts';
import { startPoster } from './endpoints/call/start-poster.ts';
import { createAttempts } from './endpoints/deliver/attempt.ts';
import { createPersonMark } from './erasure/person-mark.ts';
import { settledAfterMs } from './erasure/settled.ts';
import { createTail, POLL_MS as TAIL_POLL_MS } from './events/tail.ts';
import { createRateLimits, rateLimited } from './http/rate-limit.ts';
import { stateOf } from './http/request-state.ts';
import type { Round } from './jobs/start-rounds.ts';
import { createInFlight } from './kernel/in-flight.ts';
import { keepLimitsByTwoClocks } from './kernel/keep.ts';
import { createReadsInTurn } from './kernel/reads-in-turn.ts';
import { endStrays, STRAYS_EVERY_MS } from './messages/commit/end-strays.ts';
import { createLedger, type Ledger } from './messages/commit/ledger.ts';
import { createFindReplay } from './messages/send/idempotency.ts';
import { createIsTransmitting } from './messages/send/is-transmitting.ts';
import { createSends } from './messages/send/send.ts';
import { BEAT_MS } from './nodes/lease.ts';
import { joinNodes } from './nodes/node.ts';
import { createBacklog } from './notifications/backlog.ts';
import { POLL_MS as PROCESSOR_POLL_MS, startProcessor } from './notifications/processor.ts';
import { createIntake } from './notifications/receive.ts';
import { createUntilApplied } from './notifications/until-applied.ts';
import { createWhatsAppProvider } from './provider/whatsapp/client/client.ts';
import { decodeNotification } from './provider/whatsapp/decode/decode.ts';
import { numberHint } from './provider/whatsapp/decode/number-hint.ts';
import { checkAgainstTemplate } from './provider/whatsapp/template/fit/check-against-template.ts';
import { checkComponents } from './provider/whatsapp/template/form/check-components.ts';
import { platformRounds } from './rounds.ts';
import { createNotedMinutes, type NotedMinutes } from './statistics/mark.ts';
import { statisticsRounds } from './statistics/rounds.ts';
import type { Queryable } from './store/database.ts';
import { createTemplateRegistry, type TemplateRegistry } from './templates/registry.ts';
import { templateRounds } from './templates/schedule.ts';
import type { Watch } from './watch/watch.ts';

/** Reads that may take long get one in so many connections to the database at most: the others are for what is quick. */
const CONNECTIONS_A_READ = 2;
/** Whoever waits longer has asked for many slow ones, and is better told. */
const READ_WAIT_MS = 10_000;

export type Parts = Awaited<ReturnType<typeof createParts>>;

/** Everything that works on its own or serves the routes, each part after those that it needs. */
export async function createParts(base: Base) {
  const { database, log, watch, sealer, runStep } = base;
  const onClockAhead = watch.metrics.store.clockAhead;
  const node = await joinNodes({ database, log, watch: watch.loop('lease', BEAT_MS / 1_000), runStep, onClockAhead });
  const callers = createCallers(base);
  const numbers = createNumbers(base);
  const events = createEvents(base);
  const sending = createSending(base, { nodeId: node.id, ...numbers, ...events });
  const notifications = startNotifications(base, { ...numbers, ...events });
  const parts = { node, ...callers, ...numbers, ...events, ...sending, ...notifications };
  return {
    ...parts,
    readsInTurn: createReadsInTurn({
      atOnceMax: () => Math.floor(database.connections().max / CONNECTIONS_A_READ),
      waitMs: READ_WAIT_MS,
      clock: base.clock,
    }),
    rounds: listRounds(base, parts),
    birth: (tx: Queryable, accountId: string) => bearTestChannel(tx, sealer, accountId),
    markOf: createPersonMark(base.secrets.masterKey),
    checkComponents,
    checkAgainstTemplate,
  };
}

/** Who calls, how much of it, and what is being answered. */
function createCallers({ config, secrets, database, clock }: Base) {
  const keyUses = createKeyUses(database);
  const { platformKeys } = secrets;
  const authenticate = createAuthenticate({ database, platformKeys, clock, onUsed: keyUses.note });
  const rateLimits = createRateLimits({ requests: config.rateRequests, recipients: config.rateRecipients }, clock);
  return {
    keyUses,
    authenticate,
    rateLimits,
    takeRecipients(call: IncomingMessage, keyId: string, recipients: number): void {
      if (!rateLimits.take('recipients', keyId, recipients, stateOf(call).rateLeft)) throw rateLimited('recipients');
    },
    calls: createInFlight(),
  };
}

/** The provider, the numbers that are connected to it, and their templates. */
function createNumbers({ config, database, sealer, clock, log, watch, sandboxUrl }: Base) {
  const sandbox = sandboxUrl !== undefined;
  const whatsApp = createWhatsAppProvider({
    live: { url: config.providerUrl, version: config.providerVersion, proxyUrl: config.proxyUrl },
    ...(sandbox && { sandbox: { url: sandboxUrl, version: config.providerVersion } }),
    timeoutMs: config.providerTimeoutMs,
    connections: config.providerConnections,
  });
  const provider = watch.provider(whatsApp);
  const channels = createChannels({ database, sealer, clock, log, sandbox });
  const registry = createTemplateRegistry({ database, provider, clock, suspend: channels.suspend });
  return { sandbox, provider, channels, registry };
}

/** The ways of events to their readers and to endpoints. */
function createEvents({ config, database, sealer, clock, log, watch, life }: Base) {
  const tail = createTail(database, log, watch.loop('tail', TAIL_POLL_MS / 1_000, 'onDemand'));
  const poster = startPoster(config.proxyUrl);
  watch.metrics.deliveries.askOf(poster);
  const { localEndpoints } = config;
  const nudgeDeliveries = () => life.deliveries?.nudge();
  return {
    tail,
    attempts: createAttempts({ poster, sealer, clock, localEndpoints, traces: watch.traces }),
    nudgeDeliveries,
    /** Events were recorded. */
    onEvents() {
      tail.nudge();
      nudgeDeliveries();
    },
    onEndpointChanged: (endpointId: string) => life.deliveries?.changed(endpointId),
  };
}

type Numbers = ReturnType<typeof createNumbers>;
type Events = ReturnType<typeof createEvents>;

function createSending(base: Base, given: Numbers & Pick<Events, 'onEvents'> & { nodeId: string }) {
  const { config, database, clock, log, watch, docsUrl } = base;
  const { nodeId, provider, channels, registry, onEvents } = given;
  const notedMinutes = createNotedMinutes(database);
  const ledger = noteSettled(watch.ledger(createLedger(database, log, onEvents, watch.onCommit)), notedMinutes);
  const findReplay = createFindReplay(database);
  const sends = createSends({
    database,
    ledger,
    isTransmitting: createIsTransmitting(database),
    untilApplied: createUntilApplied(database),
    channels,
    provider,
    pacing: watch.pacing(createPacing(database, clock)),
    clock,
    log,
    nodeId,
    findReplay,
    registry,
    checkAgainstTemplate,
    docsUrl,
    answerWithinMs: config.sendDeadlineMs,
    sendsMax: config.sendsMax,
  });
  return { notedMinutes, ledger, findReplay, sends: watch.sends(sends) };
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

/** Takes notifications, and applies them as long as the process lives. */
function startNotifications(base: Base, { sandbox, registry, onEvents }: Numbers & Pick<Events, 'onEvents'>) {
  const { config, secrets, database, clock, log, watch } = base;
  const backlog = createBacklog();
  const applying = {
    decode: decodeNotification,
    nowMs: () => clock.nowMs(),
    messagesFromMs: (databaseMs: number) => keepLimitsByTwoClocks(config.keep, clock, databaseMs).messagesFromMs,
    watch: watch.loop('processor', PROCESSOR_POLL_MS / 1_000),
    onBatch: onBatch(watch, registry),
    onClaim: backlog.beginClaim,
  };
  const processor = startProcessor(database, applying, log, onEvents);
  const intake = createIntake({
    database,
    secrets: { live: secrets.appSecrets, test: sandbox ? [secrets.sandboxAppSecret] : [] },
    count: (rawBody) => backlog.add(numberHint(rawBody), rawBody.length),
    onReceived: processor.nudge,
    onCommit: (notifications) => watch.onCommit('notifications', notifications),
  });
  return { processor, intake: watch.intake(intake) };
}

/** News of a template hold from the next send on. */
function onBatch(watch: Watch, registry: TemplateRegistry): Watch['onBatch'] {
  return (batch, durationMs) => {
    if (batch.itemKinds.some((kind) => kind.startsWith('template_'))) registry.forget();
    watch.onBatch(batch, durationMs);
  };
}

interface RoundParts extends Numbers, ReturnType<typeof createCallers>, ReturnType<typeof createSending> {
  node: { id: string };
}

/** What a node does by itself, again and again, beside recovery and tidying. */
function listRounds(base: Base, parts: RoundParts): Round[] {
  const { config, database, clock, sealer, log, docsUrl } = base;
  const { node, sandbox, provider, channels, registry, ledger, keyUses, notedMinutes } = parts;
  const closing = base.life.closing.signal;
  const { keep } = config;
  const settledMs = settledAfterMs(config);
  return [
    ...templateRounds({ database, channels, registry, closing }),
    {
      name: 'strays',
      run: () => endStrays({ database, ledger, nodeId: node.id, docsUrl, log }),
      everyMs: STRAYS_EVERY_MS,
    },
    ...platformRounds({ database, provider, sealer, sandbox, keyUses, keep, clock, settledMs, log, closing }),
    ...statisticsRounds({ database, noted: notedMinutes, days: keep, clock }),
  ];
}
