import type { IncomingMessage } from 'node:http';
import type { Channels } from '../channels/channels.ts';
import { waitedMs } from '../http/request-state.ts';
import { type Answer, accountRoute, type Route } from '../http/route.ts';
import type { Clock, SteadyClock } from '../kernel/clock.ts';
import { idTimeMs, parseId } from '../kernel/ids.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import { noSuch } from '../kernel/no-such.ts';
import type { Owner } from '../kernel/principal.ts';
import type { ReadsInTurn } from '../kernel/reads-in-turn.ts';
import type { CheckAgainstTemplate, CheckComponents } from '../provider/port.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { TemplateRegistry } from '../templates/registry.ts';
import { composeStoredAnswer } from './answer.ts';
import { listRoute } from './list-route.ts';
import { messageOperations } from './operations.ts';
import { parseSend } from './parse/parse-send.ts';
import { readTraceparent } from './parse/traceparent.ts';
import { presentMessages, presentTimeline, withoutExpired } from './read/present.ts';
import { findContentBytes, findEntries, findMessageWithTimeline, findRequest } from './read/read-store.ts';
import { readWhole } from './read/read-whole.ts';
import type { ListedMessage } from './read/row-store.ts';
import { type FindReplay, hashBody, readIdempotencyKey } from './send/idempotency.ts';
import type { Sends } from './send/send.ts';
import { validateSend } from './send/validate.ts';

interface Deps {
  database: Database;
  inTurn: ReadsInTurn;
  sends: Sends;
  findReplay: FindReplay;
  channels: Channels;
  checkComponents: CheckComponents;
  registry: TemplateRegistry;
  checkAgainstTemplate: CheckAgainstTemplate;
  /** Takes the recipients of a send from the rate of the key that made the call, or throws `rate_limited`. */
  takeRecipients(call: IncomingMessage, keyId: string, recipients: number): void;
  docsUrl(): string;
  clock: Clock & SteadyClock;
  /** What is older is not shown any more, whether or not it is still stored. */
  limits(): KeepLimits;
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };
/** A message with less content is read in some milliseconds, and waits for nothing. */
const LARGE_CONTENT_BYTES_MIN = 64 << 10;
/** Nearly every timeline has four lines or fewer. Twenty thousand, as duplicates make them, hold the thread for a tenth of a second. */
const SHORT_TIMELINE_LINES_MAX = 500;
const SEND_PATH = '/api/v1/messages/send';

/** Sending, validating, and reading back what was sent. */
export function messageRoutes(deps: Deps): Route[] {
  return [sendRoute(deps), validateRoute(deps), listRoute(deps), messageRoute(deps), requestRoute(deps)];
}

function sendRoute(deps: Deps): Route {
  return accountRoute({
    method: 'POST',
    path: SEND_PATH,
    scope: 'messages:send',
    summary: 'Send a text or an approved template to 1 to 50 recipients',
    operation: messageOperations.send,
    bodyUse: 'send',
    // Nothing was transmitted, and what may have been committed is taken back.
    commitInDoubt: 'unavailable',
    async handle({ requestId, principal, body, rawBody, request, queryFaults, inLine }) {
      const arrivedMs = deps.clock.steadyMs() - waitedMs(request.raw);
      const { accountId, mode } = principal;
      const key = readIdempotencyKey(request.raw);
      const idempotency = key === undefined ? undefined : { key, bodySha256: hashBody(rawBody) };
      const known = idempotency && (await deps.sends.lookUp(arrivedMs, deps.findReplay(accountId, mode, idempotency)));
      if (known !== undefined) return replay(known);
      const parse = () => parseSend(body, deps.checkComponents, queryFaults());
      // Whoever has a key has waited for its look-up, and a large body may take half a second to be read.
      const command = idempotency === undefined ? parse() : await deps.sends.lookUp(arrivedMs, inLine(parse));
      const channel = await deps.sends.lookUp(arrivedMs, deps.channels.choose(accountId, mode, command.from));
      deps.takeRecipients(request.raw, principal.keyId, command.recipients.length);
      const traceparent = readTraceparent(request.headers.traceparent);
      const bytes = rawBody.length;
      const call = { requestId, principal, command, channel, idempotency, traceparent, arrivedMs, bytes };
      const { replayed, answer } = await deps.sends.send(call);
      return replayed ? replay(answer) : { status: 200, body: answer, headers: JSON_HEADERS };
    },
  });
}

function replay(answer: string): Answer {
  return { status: 200, body: answer, headers: { ...JSON_HEADERS, 'idempotent-replayed': 'true' } };
}

function validateRoute(deps: Deps): Route {
  return accountRoute({
    method: 'POST',
    path: '/api/v1/messages/validate',
    scope: 'messages:send',
    summary: 'Check a send without storing or transmitting anything',
    operation: messageOperations.validate,
    bodyUse: 'send',
    // It changes nothing: only a template that it had to look up may have been stored.
    commitInDoubt: 'unavailable',
    async handle({ principal, body, queryFaults }) {
      const command = parseSend(body, deps.checkComponents, queryFaults());
      const channel = await deps.channels.choose(principal.accountId, principal.mode, command.from);
      return { status: 200, body: await validateSend(deps, command, channel) };
    },
  });
}

function messageRoute({ database, inTurn, docsUrl, limits }: Deps): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/messages/:id',
    scope: 'messages:read',
    summary: 'Read one message with its timeline',
    operation: messageOperations.read,
    bodyUse: 'none',
    async handle({ principal, params }) {
      const { messagesFromMs, contentFromMs } = limits();
      const id = parseId('msg', params.id);
      const find = async (linesMax: number | null) => {
        const row = id === undefined ? undefined : await findMessageWithTimeline(database, principal, id, linesMax);
        if (row !== undefined && idTimeMs(row.id) >= messagesFromMs) return row;
        throw noSuch('msg', params.id);
      };
      const first = await find(SHORT_TIMELINE_LINES_MAX + 1);
      const isLong = first.timeline.length > SHORT_TIMELINE_LINES_MAX;
      const read = async () => {
        const row = withoutExpired(isLong ? await find(null) : first, contentFromMs);
        const context = { store: database, owner: principal, docsUrl: docsUrl(), contentFromMs };
        const [view] = await presentMessages(context, await readWhole(database, principal, [row]));
        return { status: 200, body: { ...view, timeline: presentTimeline(row, docsUrl()) } };
      };
      const isLarge = isLong || (await contentBytes(database, principal, first)) >= LARGE_CONTENT_BYTES_MIN;
      return isLarge ? inTurn(principal.accountId, read) : read();
    },
  });
}

/** What its content takes in the database, with that of its request. */
async function contentBytes(store: Queryable, owner: Owner, row: ListedMessage): Promise<number> {
  if (row.request_id === null) return row.content_bytes;
  const ofRequest = await findContentBytes(store, owner, [row.request_id]);
  return row.content_bytes + (ofRequest.get(row.request_id) ?? 0);
}

function requestRoute({ database, docsUrl, limits }: Deps): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/requests/:id',
    scope: 'messages:read',
    summary: 'Read the aggregate answer of a request as it would be given now',
    operation: messageOperations.readRequest,
    bodyUse: 'none',
    async handle({ principal, params }) {
      const requestId = parseId('req', params.id);
      const row = requestId === undefined ? undefined : await findRequest(database, principal, requestId);
      const { messagesFromMs, contentFromMs } = limits();
      if (row === undefined || idTimeMs(row.id) < messagesFromMs) throw noSuch('req', params.id);
      const stored = await findEntries(database, principal, row.message_ids);
      const messages = stored.map((message) => withoutExpired(message, contentFromMs));
      const answer = composeStoredAnswer({ ...row, accountId: principal.accountId }, messages, docsUrl());
      const counted = answer.accepted_count + answer.failed_count + answer.unknown_count;
      return {
        status: 200,
        body: {
          ...answer,
          pending_count: answer.results.length - counted,
          created_at: new Date(idTimeMs(row.id)).toISOString(),
          completed_at: row.completed_at?.toISOString() ?? null,
        },
      };
    },
  });
}
