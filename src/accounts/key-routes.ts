import { Type } from 'typebox';
import { PAGE_SCHEMA, pageOf, readPage } from '../http/page.ts';
import { type Answer, platformRoute, type Route } from '../http/route.ts';
import { wordsOnce } from '../http/words-once.ts';
import type { Clock } from '../kernel/clock.ts';
import { parseId } from '../kernel/ids.ts';
import { noSuch } from '../kernel/no-such.ts';
import { SCOPES } from '../kernel/principal.ts';
import type { Database } from '../store/database.ts';
import { PLATFORM } from './audit-store.ts';
import { listKeyRows } from './key-store.ts';
import { createKey, type MintedKey, revokeKey, rollKey } from './keys.ts';
import { accountOperations } from './operations.ts';
import { presentKey } from './present.ts';
import { requireAccount } from './require-account.ts';

interface Deps {
  database: Database;
  clock: Clock;
  publicUrl(): string;
  /** Called after what a key may do has changed, before the answer. */
  onKeysChanged(): void;
}

/** As with an endpoint's secret: a day to bring the new one everywhere, at most a week. */
const OVERLAP_SECONDS = 86_400;
const OVERLAP_SECONDS_MAX = 604_800;
/** The last moment that RFC 3339 can tell: an offset of the time that was given may lead beyond it. */
const EXPIRY_MS_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const ROLL_BODY = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_SECONDS_MAX,
        description: 'How long the old key stays valid; a day if left out.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ overlap_seconds: 3_600 }] },
);

/** The keys of accounts: made, listed, rolled and revoked by the platform. */
export function keyRoutes(deps: Deps): Route[] {
  return [createRoute(deps), listRoute(deps), rollRoute(deps), revokeRoute(deps)];
}

function createRoute({ database, clock, publicUrl }: Deps): Route {
  return platformRoute({
    method: 'POST',
    path: '/platform/v1/accounts/:id/keys',
    summary: 'Create a key of an account; it is shown once',
    operation: accountOperations.createKey,
    bodyUse: 'json',
    bodySchema: keyBody(clock),
    async handle({ params, body }) {
      const account = await requireAccount(database, params.id);
      const expiresAt = body.expires_at == null ? null : new Date(body.expires_at);
      const { name, mode, scopes = null } = body;
      const wish = { accountId: account.id, name, mode, scopes, expiresAt, actor: PLATFORM };
      return answerWith(await createKey(database, wish), publicUrl());
    },
  });
}

function listRoute({ database }: Deps): Route {
  return platformRoute({
    method: 'GET',
    path: '/platform/v1/accounts/:id/keys',
    summary: 'List the keys of an account that were not revoked, newest first',
    operation: accountOperations.listKeys,
    bodyUse: 'none',
    querySchema: PAGE_SCHEMA,
    async handle({ params, query }) {
      const account = await requireAccount(database, params.id);
      const page = readPage(query);
      const rows = await listKeyRows(database, account.id, page.before, page.limit + 1);
      return { status: 200, body: pageOf(rows, page, rows.map(presentKey)) };
    },
  });
}

/** Expired keys are listed, so who rolls one wonders what of it there is not. */
const NOT_ROLLED = ' that is valid and was not rolled before. Create a new key to replace one that has expired';

function rollRoute({ database, publicUrl, onKeysChanged }: Deps): Route {
  return platformRoute({
    method: 'POST',
    path: '/platform/v1/keys/:id/roll',
    summary: 'Replace a key with a new one; the old one stays valid for the overlap',
    operation: accountOperations.rollKey,
    bodyUse: 'json_or_empty',
    bodySchema: ROLL_BODY,
    async handle({ params, body: { overlap_seconds: overlapSeconds = OVERLAP_SECONDS } }) {
      const keyId = parseId('key', params.id);
      const minted = keyId === undefined ? undefined : await rollKey(database, keyId, overlapSeconds);
      if (minted === undefined) throw noSuch('key', params.id, NOT_ROLLED);
      onKeysChanged();
      return answerWith(minted, publicUrl());
    },
  });
}

function revokeRoute({ database, onKeysChanged }: Deps): Route {
  return platformRoute({
    method: 'DELETE',
    path: '/platform/v1/keys/:id',
    summary: 'Revoke a key; every node refuses it within two seconds',
    operation: accountOperations.revokeKey,
    bodyUse: 'none',
    async handle({ params }) {
      const keyId = parseId('key', params.id);
      if (keyId === undefined || !(await revokeKey(database, keyId))) throw noSuch('key', params.id);
      onKeysChanged();
      return { status: 204 };
    },
  });
}

function keyBody(clock: Clock) {
  return Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 200, description: 'What it is for, for people.' }),
      mode: Type.Enum(['live', 'test'], { description: 'For the real provider, or for the sandbox.' }),
      scopes: Type.Optional(
        Type.Union([wordsOnce(SCOPES, 0), Type.Null()], {
          description: 'What it may do; null or absent: everything.',
        }),
      ),
      expires_at: Type.Optional(
        Type.Union([expiry(clock), Type.Null()], {
          description: 'When it stops being valid; null or absent: never.',
        }),
      ),
    },
    {
      additionalProperties: false,
      examples: [{ name: 'The shop', mode: 'test', scopes: ['messages:send', 'messages:read'] }],
    },
  );
}

function expiry(clock: Clock) {
  const isLate = (text: string) => Date.parse(text) > EXPIRY_MS_MAX;
  return Type.Refine(
    Type.String({ format: 'date-time' }),
    // What is no time at all is not in the future either.
    (text) => !isLate(text) && Date.parse(text) > clock.nowMs(),
    (text) => {
      if (isLate(text)) return 'This must not be after the year 9999 in UTC.';
      // A leap second has the form of a time.
      return Number.isNaN(Date.parse(text))
        ? 'This must have a second from 0 to 59.'
        : 'This must be a time in the future.';
    },
  );
}

function answerWith({ key, row }: MintedKey, publicUrl: string): Answer {
  const location = `${publicUrl}/platform/v1/accounts/${row.account_id}/keys`;
  return { status: 201, body: { ...presentKey(row), key }, headers: { location } };
}
