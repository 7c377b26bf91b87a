import { Type } from 'typebox';
import type { Channels } from '../channels/channels.ts';
import { PAGE_QUERY, pageOf, readPage } from '../http/page.ts';
import { type Answer, accountRoute, type Route } from '../http/route.ts';
import { readTimeMs, timeParameter } from '../http/time-parameter.ts';
import type { Clock, SteadyClock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { firstIdOfMs, idTimeMs, parseId } from '../kernel/ids.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import { readPhoneNumber } from '../kernel/phone-number.ts';
import type { AccountPrincipal } from '../kernel/principal.ts';
import type { CheckAgainstTemplate, CheckComponents } from '../provider/port.ts';
import type { Database } from '../store/database.ts';
import type { TemplateRegistry } from '../templates/registry.ts';
import { composeAnswer, entryOf } from './commit/answer.ts';
import { MESSAGE_STATUSES, type MessageStatus } from './message.ts';
import { messageOperations } from './operations.ts';
import { parseSend } from './parse/parse-send.ts';
import { readTraceparent } from './parse/traceparent.ts';
import { listMessagesOfAny } from './read/list-of-any.ts';
import { presentMessages, presentTimeline } from './read/present.ts';
import {
  findChannelsByNumber,
  findMessages,
  findMessageWithTimeline,
  findRequests,
  type MessageFilter,
} from './read/read-store.ts';
import { findReplay, hashBody, readIdempotencyKey } from './send/idempotency.ts';
import type { Sends } from './send/send.ts';
import { validateSend } from './send/validate.ts';

interface Deps {
  database: Database;
  sends: Sends;
  channels: Channels;
  checkComponents: CheckComponents;
  registry: TemplateRegistry;
  checkAgainstTemplate: CheckAgainstTemplate;
  /** Takes the recipients of a send from the key's rate, or throws `rate_limited`. */
  takeRecipients(principal: AccountPrincipal, recipients: number): void;
  docsUrl(): string;
  clock: Clock & SteadyClock;
  /** What is older is not shown any more, whether or not it is still stored. */
  limits(): KeepLimits;
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };
const SEND_PATH = '/api/v1/messages/send';

const LIST_QUERY = Type.Object(
  {
    ...PAGE_QUERY,
    request_id: Type.Optional(Type.String({ description: 'Only of this request.' })),
    message_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 300, description: 'Only the one with this id of the provider.' }),
    ),
    client_reference: Type.Optional(
      Type.String({ minLength: 1, maxLength: 510, description: 'Only with this reference.' }),
    ),
    to: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Only to this number or user id, or to this channel.' }),
    ),
    status: Type.Optional(Type.Enum([...MESSAGE_STATUSES], { description: 'Only with this status.' })),
    direction: Type.Optional(Type.Enum(['outbound', 'inbound'], { description: 'Only in this direction.' })),
    since: Type.Optional(timeParameter('Only from this time on (RFC 3339).')),
  },
  { additionalProperties: false },
);

/** Sending, validating, and reading back what was sent. */
export function messageRoutes(deps: Deps): Route[] {
  return [sendRoute(deps), validateRoute(deps), messageListRoute(deps), messageRoute(deps), requestRoute(deps)];
}

function sendRoute(deps: Deps): Route {
  return accountRoute({
    method: 'POST',
    path: SEND_PATH,
    scope: 'messages:send',
    summary: 'Send a text or an approved template to 1 to 50 recipients',
    operation: messageOperations.send,
    bodyUse: 'send',
    async handle({ requestId, principal, body, rawBody, request, queryFaults }) {
      const arrivedMs = deps.clock.steadyMs();
      const { accountId, mode } = principal;
      const key = readIdempotencyKey(request.raw);
      const idempotency = key === undefined ? undefined : { key, bodySha256: hashBody(rawBody) };
      const known =
        idempotency && (await deps.sends.lookUp(arrivedMs, findReplay(deps.database, accountId, mode, idempotency)));
      if (known !== undefined) return replay(known);
      const command = parseSend(body, deps.checkComponents, queryFaults());
      const channel = await deps.sends.lookUp(arrivedMs, deps.channels.choose(accountId, mode, command.from));
      deps.takeRecipients(principal, command.recipients.length);
      const traceparent = readTraceparent(request.headers.traceparent);
      const call = { requestId, principal, command, channel, idempotency, traceparent, arrivedMs };
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
    async handle({ principal, body, queryFaults }) {
      const command = parseSend(body, deps.checkComponents, queryFaults());
      const channel = await deps.channels.choose(principal.accountId, principal.mode, command.from);
      return { status: 200, body: await validateSend(deps, command, channel) };
    },
  });
}

function messageListRoute({ database, docsUrl, limits }: Deps): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/messages',
    scope: 'messages:read',
    summary: 'List messages, newest first',
    operation: messageOperations.list,
    bodyUse: 'none',
    querySchema: LIST_QUERY,
    async handle({ principal: { accountId, mode }, query }) {
      const page = readPage(query);
      const { messagesFromMs, contentFromMs } = limits();
      const filters = await readFilters(database, accountId, query, { before: page.before, messagesFromMs });
      const rows = await listMessagesOfAny(database, accountId, mode, filters, page.limit + 1);
      const context = { store: database, accountId, mode, docsUrl: docsUrl(), contentFromMs };
      const views = await presentMessages(context, rows);
      return { status: 200, body: pageOf(rows, page, views) };
    },
  });
}

type ListQuery = Partial<
  Record<'request_id' | 'message_id' | 'client_reference' | 'to' | 'direction' | 'since', string>
> & { status?: MessageStatus };

/** A message of any of them is in the list. None: an id that is not well formed belongs to no message. */
async function readFilters(
  store: Database,
  accountId: string,
  query: ListQuery,
  { before, messagesFromMs }: { before: string | null; messagesFromMs: number },
): Promise<MessageFilter[]> {
  const { request_id: requestId, to, since, ...plain } = query;
  const filter: MessageFilter = { ...pick(plain), ...(before !== null && { before }) };
  if (requestId !== undefined) {
    const id = parseId('req', requestId);
    if (id === undefined) return [];
    filter.request_id = id;
  }
  const sinceMs = since === undefined ? messagesFromMs : Math.max(readTimeMs(since), messagesFromMs);
  filter.since = firstIdOfMs(sinceMs);
  if (to === undefined) return [filter];
  return (await readTo(store, accountId, to)).map((recipient) => ({ ...filter, ...recipient }));
}

/**
 * A message goes to a person, by number or user id, or from a person to one of the account's own numbers. A number may be
 * both: the account writes to a number of its own, or to one whose channel it has removed.
 */
async function readTo(store: Database, accountId: string, to: string): Promise<MessageFilter[]> {
  // A plus in a query that nobody has escaped arrives as a space. One that was escaped may have a space before it.
  const number = readPhoneNumber(to.replace(/^ (?=[^+]*$)/, '+'));
  if (number === undefined) return [{ to_user_id: to }];
  const channelIds = await findChannelsByNumber(store, accountId, number);
  return [{ to_phone: number }, ...(channelIds.length === 0 ? [] : [{ to_channels: channelIds }])];
}

function pick({ message_id, client_reference, status, direction }: ListQuery): MessageFilter {
  return {
    ...(message_id !== undefined && { message_id }),
    ...(client_reference !== undefined && { client_reference }),
    ...(status !== undefined && { status }),
    ...(direction !== undefined && { direction }),
  };
}

function messageRoute({ database, docsUrl, limits }: Deps): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/messages/:id',
    scope: 'messages:read',
    summary: 'Read one message with its timeline',
    operation: messageOperations.read,
    bodyUse: 'none',
    async handle({ principal: { accountId, mode }, params }) {
      const id = parseId('msg', params.id ?? '');
      const row = id === undefined ? undefined : await findMessageWithTimeline(database, accountId, mode, id);
      const { messagesFromMs, contentFromMs } = limits();
      if (row === undefined || idTimeMs(row.id) < messagesFromMs)
        throw new ApiError('not_found', 'There is no such message.');
      const context = { store: database, accountId, mode, docsUrl: docsUrl(), contentFromMs };
      const [view] = await presentMessages(context, [row]);
      const timeline = presentTimeline(row, row.timeline, docsUrl());
      return { status: 200, body: { ...view, timeline } };
    },
  });
}

function requestRoute({ database, docsUrl, limits }: Deps): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/requests/:id',
    scope: 'messages:read',
    summary: 'Read the aggregate answer of a request as it would be given now',
    operation: messageOperations.readRequest,
    bodyUse: 'none',
    async handle({ principal: { accountId, mode }, params }) {
      const requestId = parseId('req', params.id ?? '');
      const [row] = requestId === undefined ? [] : await findRequests(database, accountId, mode, [requestId]);
      if (row === undefined || idTimeMs(row.id) < limits().messagesFromMs)
        throw new ApiError('not_found', 'There is no such request.');
      const messages = (await findMessages(database, accountId, mode, row.message_ids)).map(entryOf);
      const { id, client_reference: clientReference, type, refused } = row;
      const answer = composeAnswer(
        { requestId: id, accountId, clientReference, type, messages, refused: refused ?? [] },
        docsUrl(),
      );
      const counted = answer.accepted_count + answer.failed_count + answer.unknown_count;
      return {
        status: 200,
        body: {
          ...answer,
          pending_count: answer.results.length - counted,
          created_at: new Date(idTimeMs(id)).toISOString(),
          completed_at: row.completed_at?.toISOString() ?? null,
        },
      };
    },
  });
}
