import { Type } from 'typebox';
import { invalidKey } from '../accounts/authenticate.ts';
import { findAccount } from '../accounts/store.ts';
import type { Channels, SendingChannel } from '../channels/channels.ts';
import { PAGE_QUERY, pageOf, readPage } from '../http/page.ts';
import { accountRoute, type Route } from '../http/route.ts';
import { NO_MEMBERS } from '../http/schema-words.ts';
import { unescapedPlus } from '../http/unescaped-plus.ts';
import type { ApiError } from '../kernel/errors.ts';
import { parseId } from '../kernel/ids.ts';
import { noSuch } from '../kernel/no-such.ts';
import { unavailable } from '../kernel/unavailable.ts';
import type { Database } from '../store/database.ts';
import { templateOperations } from './operations.ts';
import { presentTemplate } from './present.ts';
import type { TemplateRegistry } from './registry.ts';
import { findTemplate, listTemplateRows } from './store.ts';

interface Deps {
  database: Database;
  channels: Channels;
  registry: TemplateRegistry;
  /** Aborted when the process stops. An account may have thousands of business accounts to be read. */
  closing: AbortSignal;
}

const LIST_QUERY = Type.Object(
  {
    ...PAGE_QUERY,
    name: word('Only with this name.'),
    language: word('Only in this language, such as `en_US`.'),
    status: word('Only with this status, such as `approved`; case does not matter.'),
    from: word("Only those that a send with this `from` may use: a channel's id or phone number."),
  },
  { additionalProperties: false },
);

function word(description: string) {
  return Type.Optional(Type.String({ minLength: 1, maxLength: 512, description }));
}

/** The templates of an account's business accounts. */
export function templateRoutes(deps: Deps): Route[] {
  return [listRoute(deps), templateRoute(deps), syncRoute(deps)];
}

function listRoute(deps: Deps): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/templates',
    scope: 'templates:read',
    summary: 'List templates, newest first',
    operation: templateOperations.list,
    bodyUse: 'none',
    querySchema: LIST_QUERY,
    async handle({ principal, query }) {
      const { accountId, mode } = principal;
      const page = readPage(query);
      const { name = null, language = null, status = null, from } = query;
      const usable =
        from === undefined
          ? await deps.channels.listUsable(accountId, mode)
          : [await deps.channels.choose(accountId, mode, unescapedPlus(from))];
      const asked = onePerBusinessAccount(usable);
      // The first look into an empty registry reads the provider, so that it is never empty without a reason.
      const areRead = await deps.registry.syncOnce(principal, asked, deps.closing);
      const businessAccountIds = asked.map((channel) => channel.businessAccountId);
      const filter = { businessAccountIds, name, language, status: status?.toLowerCase() ?? null, before: page.before };
      const rows = await listTemplateRows(deps.database, principal, filter, page.limit + 1);
      if (!areRead && rows.length === 0)
        throw await notRead(deps, accountId, 'A business account could not be asked yet.');
      return { status: 200, body: pageOf(rows, page, rows.map(presentTemplate)) };
    },
  });
}

function templateRoute({ database, channels }: Deps): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/templates/:id',
    scope: 'templates:read',
    summary: 'Read a template',
    operation: templateOperations.read,
    bodyUse: 'none',
    async handle({ principal, params }) {
      const id = parseId('tpl', params.id);
      const row = id === undefined ? undefined : await findTemplate(database, principal, id);
      const usable = row === undefined ? [] : await channels.listUsable(principal.accountId, principal.mode);
      if (row === undefined || !usable.some((channel) => channel.businessAccountId === row.business_account_id))
        throw noSuch('tpl', params.id);
      return { status: 200, body: presentTemplate(row) };
    },
  });
}

function syncRoute(deps: Deps): Route {
  return accountRoute({
    method: 'POST',
    path: '/api/v1/templates/sync',
    scope: 'templates:read',
    summary: 'Read all templates from the provider now',
    operation: templateOperations.sync,
    bodyUse: 'json_or_empty',
    bodySchema: NO_MEMBERS,
    async handle({ principal: { accountId, mode } }) {
      const asked = onePerBusinessAccount(await deps.channels.listUsable(accountId, mode));
      const counts = await deps.registry.syncAll(asked, deps.closing);
      if (counts !== undefined) return { status: 200, body: counts };
      const detail = asked.some(({ suspended }) => suspended)
        ? 'A business account could not be asked for: its channels are suspended.'
        : 'The provider could not be asked.';
      throw await notRead(deps, accountId, detail);
    },
  });
}

/** Nothing is read for an account that was deleted meanwhile, and its keys are not valid any more. */
async function notRead({ database }: Deps, accountId: string, detail: string): Promise<ApiError> {
  if ((await findAccount(database, accountId)) === undefined) return invalidKey();
  return unavailable(detail, { retryAfterSeconds: 5 });
}

/**
 * One channel for each business account: templates belong to the account, not to the number. It is suspended only where all of
 * that account's channels are.
 */
function onePerBusinessAccount(usable: readonly SendingChannel[]): SendingChannel[] {
  const ofEach = Map.groupBy(usable, ({ businessAccountId }) => businessAccountId).values();
  return [...ofEach].flatMap((channels) => channels.find(({ suspended }) => !suspended) ?? channels.slice(0, 1));
}
