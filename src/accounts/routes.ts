import { Type } from 'typebox';
import { PAGE_QUERY, pageOf, readPage } from '../http/page.ts';
import { accountRoute, platformRoute, type Route } from '../http/route.ts';
import type { Clock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { formatId, isUuid } from '../kernel/ids.ts';
import { SCOPES } from '../kernel/principal.ts';
import type { Database } from '../store/database.ts';
import { type AccountBirth, createAccount, createKey } from './accounts.ts';
import { type AccountRow, findAccount, type KeyRow, listAccountRows, listKeyRows } from './store.ts';

interface Deps {
  database: Database;
  birth: AccountBirth;
  clock: Clock;
  publicUrl(): string;
}

/** The audit log's word for the platform's own keys. */
const PLATFORM = 'platform';

const NAME = Type.String({ minLength: 1, maxLength: 200 });
const ACCOUNT_BODY = Type.Object({ name: NAME }, { additionalProperties: false });
const KEY_BODY = Type.Object(
  {
    name: NAME,
    mode: Type.Enum(['live', 'test']),
    scopes: Type.Optional(Type.Union([Type.Array(Type.Enum([...SCOPES]), { maxItems: SCOPES.length }), Type.Null()])),
    expires_at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
  },
  { additionalProperties: false },
);
const PAGE = Type.Object(PAGE_QUERY, { additionalProperties: false });

/** Accounts and keys, for the platform; and an account's view of itself. */
export function accountRoutes(deps: Deps): Route[] {
  return [...accountsOfPlatform(deps), ...keysOfPlatform(deps), ownAccountRoute()];
}

function accountsOfPlatform({ database, birth, publicUrl }: Deps): Route[] {
  return [
    platformRoute({
      method: 'POST',
      path: '/platform/v1/accounts',
      summary: 'Create an account, with its test channel',
      bodyUse: 'json',
      bodySchema: ACCOUNT_BODY,
      async handle({ body }) {
        const account = await createAccount(database, { name: body.name, actor: PLATFORM }, birth);
        const location = `${publicUrl()}/platform/v1/accounts/${account.id}`;
        return { status: 201, body: presentAccount(account), headers: { location } };
      },
    }),
    platformRoute({
      method: 'GET',
      path: '/platform/v1/accounts',
      summary: 'List accounts, newest first',
      bodyUse: 'none',
      querySchema: PAGE,
      async handle({ query }) {
        const page = readPage(query);
        const rows = await listAccountRows(database, page.before, page.limit + 1);
        return { status: 200, body: pageOf(rows, page, rows.map(presentAccount)) };
      },
    }),
    platformRoute({
      method: 'GET',
      path: '/platform/v1/accounts/:id',
      summary: 'Read an account',
      bodyUse: 'none',
      async handle({ params }) {
        return { status: 200, body: presentAccount(await requireAccount(database, params.id)) };
      },
    }),
  ];
}

function keysOfPlatform({ database, clock, publicUrl }: Deps): Route[] {
  return [
    platformRoute({
      method: 'POST',
      path: '/platform/v1/accounts/:id/keys',
      summary: 'Create a key of an account; it is shown once',
      bodyUse: 'json',
      bodySchema: KEY_BODY,
      async handle({ params, body }) {
        const account = await requireAccount(database, params.id);
        const expiresAt = body.expires_at == null ? null : new Date(body.expires_at);
        if (expiresAt !== null && !(expiresAt.getTime() > clock.nowMs())) throw pastExpiry();
        const wish = {
          accountId: account.id,
          name: body.name,
          mode: body.mode,
          scopes: body.scopes ?? null,
          expiresAt,
        };
        const { key, row } = await createKey(database, { ...wish, actor: PLATFORM });
        const location = `${publicUrl()}/platform/v1/accounts/${account.id}/keys`;
        return { status: 201, body: { ...presentKey(row), key }, headers: { location } };
      },
    }),
    platformRoute({
      method: 'GET',
      path: '/platform/v1/accounts/:id/keys',
      summary: 'List the keys of an account that were not revoked, newest first',
      bodyUse: 'none',
      querySchema: PAGE,
      async handle({ params, query }) {
        const account = await requireAccount(database, params.id);
        const page = readPage(query);
        const rows = await listKeyRows(database, account.id, page.before, page.limit + 1);
        return { status: 200, body: pageOf(rows, page, rows.map(presentKey)) };
      },
    }),
  ];
}

function ownAccountRoute(): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/account',
    summary: 'Read the account and the key that is used',
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

/** Throws `not_found` for an id that is malformed or of no account. */
export async function requireAccount(database: Database, id: string | undefined): Promise<AccountRow> {
  const account = id !== undefined && isUuid(id) ? await findAccount(database, id) : undefined;
  if (account === undefined) throw new ApiError('not_found', 'There is no such account.');
  return account;
}

function presentAccount(row: AccountRow) {
  return {
    id: row.id,
    name: row.name,
    suspended: row.suspended_at !== null,
    created_at: row.created_at.toISOString(),
  };
}

function presentKey(row: KeyRow) {
  return {
    id: formatId('key', row.id),
    account_id: row.account_id,
    name: row.name,
    mode: row.mode,
    scopes: row.scopes ?? [...SCOPES],
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

function pastExpiry(): ApiError {
  return new ApiError('invalid_request', 'The body is not valid.', {
    errors: [{ pointer: '#/expires_at', detail: 'This must be a time in the future.' }],
  });
}
