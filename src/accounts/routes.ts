import { Type } from 'typebox';
import { PAGE_QUERY, pageOf, readPage } from '../http/page.ts';
import { accountRoute, platformRoute, type Route } from '../http/route.ts';
import { unescapedPlus } from '../http/unescaped-plus.ts';
import type { Clock } from '../kernel/clock.ts';
import { formatId } from '../kernel/ids.ts';
import { SCOPES } from '../kernel/principal.ts';
import type { Database } from '../store/database.ts';
import { type AccountBirth, changeAccount, createAccount } from './accounts.ts';
import { auditRoute } from './audit-route.ts';
import { PLATFORM } from './audit-store.ts';
import { keyRoutes } from './key-routes.ts';
import { accountOperations } from './operations.ts';
import { presentAccount } from './present.ts';
import { noAccount, requireAccount } from './require-account.ts';
import { searchAccountRows } from './search-store.ts';
import { listAccountRows } from './store.ts';

interface Deps {
  database: Database;
  birth: AccountBirth;
  clock: Clock;
  publicUrl(): string;
  /** Called after what a key may do has changed, before the answer. */
  onKeysChanged(): void;
}

const NAME = Type.String({ minLength: 1, maxLength: 200, description: 'Its name, for people.' });
const ACCOUNT_BODY = Type.Object({ name: NAME }, { additionalProperties: false, examples: [{ name: 'The shop' }] });
const ACCOUNT_CHANGES = Type.Object(
  {
    name: Type.Optional(NAME),
    suspended: Type.Optional(Type.Boolean({ description: 'Whether it may only read.' })),
  },
  { additionalProperties: false, examples: [{ suspended: true }] },
);

const LIST_QUERY = Type.Object(
  {
    ...PAGE_QUERY,
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Only those with this in their name, whatever the case and the accents of its letters; or with exactly this as their id, or as the phone number, phone number id or business account id of one of their channels.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Accounts and keys and what was changed of them, for the platform; and an account's view of itself. */
export function accountRoutes(deps: Deps): Route[] {
  return [
    createRoute(deps),
    listRoute(deps),
    readRoute(deps),
    changeRoute(deps),
    ...keyRoutes(deps),
    auditRoute(deps.database),
    ownAccountRoute(),
  ];
}

function createRoute({ database, birth, publicUrl }: Deps): Route {
  return platformRoute({
    method: 'POST',
    path: '/platform/v1/accounts',
    summary: 'Create an account, with its test channel',
    operation: accountOperations.create,
    bodyUse: 'json',
    bodySchema: ACCOUNT_BODY,
    async handle({ body }) {
      const account = await createAccount(database, { name: body.name, actor: PLATFORM }, birth);
      const location = `${publicUrl()}/platform/v1/accounts/${account.id}`;
      return { status: 201, body: presentAccount(account), headers: { location } };
    },
  });
}

function listRoute({ database }: Deps): Route {
  return platformRoute({
    method: 'GET',
    path: '/platform/v1/accounts',
    summary: 'List accounts, newest first',
    operation: accountOperations.list,
    bodyUse: 'none',
    querySchema: LIST_QUERY,
    async handle({ query }) {
      const page = readPage(query);
      const { search } = query;
      const rows =
        search === undefined
          ? await listAccountRows(database, page.before, page.limit + 1)
          : await searchAccountRows(database, unescapedPlus(search), page.before, page.limit + 1);
      return { status: 200, body: pageOf(rows, page, rows.map(presentAccount)) };
    },
  });
}

function readRoute({ database }: Deps): Route {
  return platformRoute({
    method: 'GET',
    path: '/platform/v1/accounts/:id',
    summary: 'Read an account',
    operation: accountOperations.read,
    bodyUse: 'none',
    async handle({ params }) {
      return { status: 200, body: presentAccount(await requireAccount(database, params.id)) };
    },
  });
}

function changeRoute({ database, onKeysChanged }: Deps): Route {
  return platformRoute({
    method: 'PATCH',
    path: '/platform/v1/accounts/:id',
    summary: 'Rename, suspend or resume an account',
    operation: accountOperations.change,
    bodyUse: 'json',
    bodySchema: ACCOUNT_CHANGES,
    async handle({ params, body: { name, suspended } }) {
      const { id: accountId } = await requireAccount(database, params.id);
      const account = await changeAccount(database, { accountId, name, suspended });
      if (account === undefined) throw noAccount();
      onKeysChanged();
      return { status: 200, body: presentAccount(account) };
    },
  });
}

function ownAccountRoute(): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/account',
    summary: 'Read the account and the key that is used',
    operation: accountOperations.own,
    bodyUse: 'none',
    async handle({ principal }) {
      const { accountId, accountName, mode, keyId, keyName, scopes, expiresAt } = principal;
      const key = {
        id: formatId('key', keyId),
        name: keyName,
        scopes: scopes ?? SCOPES,
        expires_at: expiresAt?.toISOString() ?? null,
      };
      return { status: 200, body: { id: accountId, name: accountName, mode, key } };
    },
  });
}
