import Fastify, { type FastifyInstance } from 'fastify';
import { answerBadPath, answerError, answerUnknown } from './answer-error.ts';
import type { Context } from './context.ts';
import { controlRoutes } from './control/control.ts';
import { Counts } from './counts.ts';
import { Directory } from './directory.ts';
import { listTemplatesRoute } from './list-templates.ts';
import { Callbacks } from './notify/callbacks.ts';
import { IN_FLIGHT_MAX, Notifier } from './notify/notifier.ts';
import { phoneNumberRoutes } from './phone-numbers.ts';
import { Registry } from './registry.ts';
import { Schedule } from './schedule.ts';
import { sendMessageRoute } from './send-message.ts';
import { subscribedAppsRoutes } from './subscribed-apps.ts';
import { Subscriptions } from './subscriptions.ts';
import { Transmits } from './transmits.ts';

/** Enough for the largest notifications and registrations. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** How many messages to the number that refuses the first transmits are remembered. One that is forgotten is refused anew. */
const REFUSED_MESSAGES_MAX = 10_000;

/** No route gives Fastify a schema. Otherwise it loads what compiles them, and a start waits for that. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } };

function noSchema(): never {
  throw new Error('A route has given Fastify a schema');
}

export interface SandboxOptions {
  port: number;
  /** Signs notifications, and proves a gateway that registers itself. */
  appSecret: string;
  /** The callbacks that are known from the start. The first one in the list is tried first. */
  callbackUrls?: readonly string[];
  log?: (sentence: string) => void;
  /** How long every send waits for its answer. */
  latencyMs?: number;
  /** `off`: messages are taken and no notice follows, for benches of the send alone. */
  statuses?: 'on' | 'off';
  /** False if a gateway started it, which then also stops it. */
  isAlone?: boolean;
  /** Divides every wait of a second or more, for tests. */
  timeScale?: number;
}

export interface Sandbox {
  url: string;
  /** Breaks all connections, and forgets everything that waits. */
  close(): Promise<void>;
}

/** Starts a server that stands in for the provider: its paths, its answers, its signed notifications. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { timeScale = 1 } = options;
  const context = createContext(options, timeScale);
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    frameworkErrors: answerBadPath,
    schemaController: NO_SCHEMAS,
  });
  readBodiesRaw(app);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(answerUnknown);
  sendMessageRoute(app, context);
  phoneNumberRoutes(app, context);
  listTemplatesRoute(app, context);
  subscribedAppsRoutes(app, context);
  await app.register(controlRoutes, { context, timeScale });
  const url = await app.listen({ host: '127.0.0.1', port: options.port });
  return { url, close: () => close(app, context) };
}

function createContext(options: SandboxOptions, timeScale: number): Context {
  const { appSecret, callbackUrls = [], log = () => {}, latencyMs = 0, statuses = 'on', isAlone = true } = options;
  const callbacks = new Callbacks(callbackUrls, IN_FLIGHT_MAX);
  return {
    appSecret,
    callbacks,
    directory: new Directory(),
    notifier: new Notifier({ appSecret, callbacks, timeScale, log }),
    registry: new Registry(),
    subscriptions: new Subscriptions(),
    transmits: new Transmits(),
    refusals: new Counts(REFUSED_MESSAGES_MAX),
    answers: new Schedule(timeScale),
    course: new Schedule(timeScale),
    latencyMs,
    postsStatuses: statuses === 'on',
    isAlone,
  };
}

/** Bodies are kept as raw bytes: signatures are over these, and faults in JSON are answered in Graph's words. */
function readBodiesRaw(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

async function close(app: FastifyInstance, context: Context): Promise<void> {
  context.course.clear();
  context.answers.clear();
  context.notifier.clear();
  await app.close();
  await context.callbacks.close();
}
