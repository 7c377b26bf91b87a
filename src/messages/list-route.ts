import { type Static, Type } from 'typebox';
import { PAGE_QUERY, pageOf, readPage } from '../http/page.ts';
import { accountRoute, type Route } from '../http/route.ts';
import { readTimeMs, timeParameter } from '../http/time-parameter.ts';
import { unescapedPlus } from '../http/unescaped-plus.ts';
import { firstIdOfMs, parseId } from '../kernel/ids.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import { readPhoneNumber } from '../kernel/phone-number.ts';
import type { Owner } from '../kernel/principal.ts';
import type { ReadsInTurn } from '../kernel/reads-in-turn.ts';
import type { Database } from '../store/database.ts';
import { MESSAGE_STATUSES } from './message.ts';
import { messageOperations } from './operations.ts';
import { fitPage } from './read/fit-page.ts';
import { listMessagesOfAny } from './read/list-of-any.ts';
import type { MessageFilter } from './read/list-store.ts';
import { presentMessages } from './read/present.ts';
import { findChannelsByNumber } from './read/read-store.ts';

const LIST_QUERY = Type.Object(
  {
    ...PAGE_QUERY,
    request_id: Type.Optional(Type.String({ minLength: 1, description: 'Only of this request.' })),
    message_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 512, description: 'Only the one with this id of the provider.' }),
    ),
    client_reference: Type.Optional(
      Type.String({ minLength: 1, maxLength: 510, description: 'Only with this reference.' }),
    ),
    to: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Only to this number or user id, or to this channel.' }),
    ),
    person: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Only to or from this person, by number or user id: both sides of a conversation.',
      }),
    ),
    status: Type.Optional(Type.Enum([...MESSAGE_STATUSES], { description: 'Only with this status.' })),
    direction: Type.Optional(Type.Enum(['outbound', 'inbound'], { description: 'Only in this direction.' })),
    since: Type.Optional(timeParameter('Only from this time on (RFC 3339).')),
  },
  { additionalProperties: false },
);

interface Deps {
  database: Database;
  inTurn: ReadsInTurn;
  /** The base of the error pages. */
  docsUrl(): string;
  /** What is older is not shown, whether or not it is still stored. */
  limits(): KeepLimits;
}

/** Lists messages in both directions, by any of the filters above together. */
export function listRoute({ database, inTurn, docsUrl, limits }: Deps): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/messages',
    scope: 'messages:read',
    summary: 'List messages, newest first',
    operation: messageOperations.list,
    bodyUse: 'none',
    querySchema: LIST_QUERY,
    async handle({ principal, query }) {
      const page = readPage(query);
      const { messagesFromMs, contentFromMs } = limits();
      const filters = await readFilters(database, principal, query, { before: page.before, messagesFromMs });
      const context = { store: database, owner: principal, docsUrl: docsUrl(), contentFromMs };
      return inTurn(principal.accountId, async () => {
        const rows = await listMessagesOfAny(database, principal, filters, page.limit + 1);
        const shown = await fitPage(database, principal, rows.slice(0, page.limit));
        const views = await presentMessages(context, shown);
        return { status: 200, body: pageOf(rows, { ...page, limit: shown.length }, views) };
      });
    },
  });
}

type ListQuery = Static<typeof LIST_QUERY>;

/** The list has every message that passes one of them. There are none for a malformed id, which no message has. */
async function readFilters(
  store: Database,
  owner: Owner,
  query: ListQuery,
  { before, messagesFromMs }: { before: string | null; messagesFromMs: number },
): Promise<MessageFilter[]> {
  const { request_id: requestId, to, person, since, ...plain } = query;
  const sinceMs = since === undefined ? messagesFromMs : Math.max(readTimeMs(since), messagesFromMs);
  const filter: MessageFilter = { ...pick(plain), ...(before !== null && { before }), since: firstIdOfMs(sinceMs) };
  if (requestId !== undefined) {
    const id = parseId('req', requestId);
    if (id === undefined) return [];
    filter.request_id = id;
  }
  const targets = to === undefined ? [{}] : await readTo(store, owner, to);
  const either = person === undefined ? {} : personOf(person);
  return targets.flatMap((target) => together(filter, target, either));
}

/**
 * A message goes to a person, by number or user id, or comes from a person to one of the account's own numbers. A number may
 * be both, where the account writes to a number that is or was its own.
 */
async function readTo(store: Database, owner: Owner, to: string): Promise<Partial<MessageFilter>[]> {
  const person = personOf(to);
  const channels = person.phone === undefined ? [] : await findChannelsByNumber(store, owner, person.phone);
  return [
    { ...person, direction: 'outbound' },
    ...(channels.length === 0 ? [] : [{ channels, direction: 'inbound' as const }]),
  ];
}

function personOf(text: string): Pick<MessageFilter, 'phone' | 'user_id'> {
  const phone = readPhoneNumber(unescapedPlus(text));
  return phone === undefined ? { user_id: text } : { phone };
}

/** One filter for all of them; none if no message can pass all. */
function together(
  filter: MessageFilter,
  target: Partial<MessageFilter>,
  either: Partial<MessageFilter>,
): MessageFilter[] {
  const all: MessageFilter = { ...filter, ...target, ...either };
  const agree = [filter, target, either].every((one) =>
    Object.entries(one).every(([name, value]) => Reflect.get(all, name) === value),
  );
  return agree ? [all] : [];
}

function pick({ message_id, client_reference, status, direction }: ListQuery): Partial<MessageFilter> {
  return {
    ...(message_id !== undefined && { message_id }),
    ...(client_reference !== undefined && { client_reference }),
    ...(status !== undefined && { status }),
    ...(direction !== undefined && { direction }),
  };
}
