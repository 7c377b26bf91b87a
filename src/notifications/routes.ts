import { parse } from 'node:querystring';
import { Type } from 'typebox';
import { insertAudit, PLATFORM } from '../accounts/audit-store.ts';
import { PAGE_QUERY, pageOf, readPage } from '../http/page.ts';
import { platformRoute, publicRoute, type Route } from '../http/route.ts';
import { NO_MEMBERS } from '../http/schema-words.ts';
import { ApiError } from '../kernel/errors.ts';
import { formatId, idTimeMs, parseId } from '../kernel/ids.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import { noSuch } from '../kernel/no-such.ts';
import { isToken } from '../kernel/signature.ts';
import type { Database } from '../store/database.ts';
import { notificationOperations } from './operations.ts';
import { findPacked, listPacked } from './pack-store.ts';
import type { Intake } from './receive.ts';
import {
  findNotification,
  listNotifications,
  type NotificationView,
  type NotificationWish,
  reprocessNotification,
} from './store.ts';

const PATH = '/api/messaging/webhook';
/** The provider's bodies have up to 3 MB. */
const BODY_BYTES_MAX = 4 << 20;

interface Deps {
  database: Database;
  intake: Intake;
  verifyTokens: readonly string[];
  nudge(): void;
  /** What is past its time is not shown any more, whether or not it is still stored. */
  limits(): KeepLimits;
}

/** The provider's callback, whose secrets are the platform's alone, and what the operator sees of it. */
export function notificationRoutes(deps: Deps): Route[] {
  return [verificationRoute(deps), intakeRoute(deps), listRoute(deps), reprocessRoute(deps)];
}

function verificationRoute({ verifyTokens }: Deps): Route {
  return publicRoute({
    method: 'GET',
    path: PATH,
    summary: "Answer the provider's verification request",
    operation: notificationOperations.verify,
    bodyUse: 'none',
    async handle({ request }) {
      const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = queryBytes(request.url);
      const right = mode === 'subscribe' && isFilled(token) && isToken(bytesOf(token).toString(), verifyTokens);
      if (!right || !isFilled(challenge))
        throw new ApiError('verification_failed', 'The verification request is not valid.');
      const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
      return { status: 200, body: bytesOf(challenge), headers };
    },
  });
}

/** The parameters with a character for each byte: the challenge goes back byte for byte, also where it is no text in UTF-8. */
function queryBytes(url: string): Record<string, unknown> {
  const [, query = ''] = /\?(.*)/s.exec(url) ?? [];
  return parse(query, '&', '=', { decodeURIComponent: byteByByte });
}

const byteByByte = (text: string) =>
  text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
const bytesOf = (text: string) => Buffer.from(text, 'latin1');

/** A parameter given twice arrives as an array, and one that is missing, empty or no text proves nothing. */
function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\u0000');
}

function intakeRoute({ intake }: Deps): Route {
  return publicRoute({
    method: 'POST',
    path: PATH,
    summary: 'Take a signed notification of the provider',
    operation: notificationOperations.receive,
    bodyUse: 'raw',
    // The provider posts it again, and the same notification twice has one effect.
    commitInDoubt: 'unavailable',
    bodyBytesMax: BODY_BYTES_MAX,
    async handle({ rawBody, request }) {
      await intake.receive(request.raw, rawBody);
      return { status: 200 };
    },
  });
}

const LIST_QUERY = Type.Object(
  {
    ...PAGE_QUERY,
    state: Type.Optional(Type.Enum(['waiting', 'applied', 'set_aside'], { description: 'Only in this state.' })),
  },
  { additionalProperties: false },
);

function listRoute({ database, limits }: Deps): Route {
  return platformRoute({
    method: 'GET',
    path: '/platform/v1/notifications',
    summary: 'List notifications, newest first, without their bodies',
    operation: notificationOperations.list,
    bodyUse: 'none',
    querySchema: LIST_QUERY,
    async handle({ query }) {
      const page = readPage(query);
      const wish = { state: query.state ?? null, before: page.before, limit: page.limit + 1 };
      const rows = await listAll(database, wish, limits());
      return { status: 200, body: pageOf(rows, page, rows.map(presentNotification)) };
    },
  });
}

/** What is still packed and what has a row of its own: the page, and perhaps more behind it. */
async function listAll(database: Database, wish: NotificationWish, limits: KeepLimits): Promise<NotificationView[]> {
  const { state, before, limit } = wish;
  // The packs first: what is applied between the two questions is then in both answers, and never in none.
  const packed = state === null || state === 'waiting' ? await listPacked(database, before, limit) : [];
  const rows = await listNotifications(database, wish, limits);
  const known = new Set(rows.map(({ id }) => id));
  const all = [...rows, ...packed.filter(({ id }) => !known.has(id))];
  return all.sort((a, b) => (a.id < b.id ? 1 : -1));
}

function reprocessRoute({ database, nudge, limits }: Deps): Route {
  return platformRoute({
    method: 'POST',
    path: '/platform/v1/notifications/:id/reprocess',
    summary: 'Apply again what could not be applied from a notification',
    operation: notificationOperations.reprocess,
    bodyUse: 'json_or_empty',
    bodySchema: NO_MEMBERS,
    async handle({ params }) {
      const id = parseId('ntf', params.id);
      const row = id === undefined ? undefined : await reprocess(database, id, limits());
      if (row === undefined) throw noSuch('ntf', params.id);
      nudge();
      return { status: 202, body: presentNotification(row) };
    },
  });
}

/** What is applied already stays so, and is shown as it is; so is what is still packed, because its turn comes at once. */
function reprocess(database: Database, id: string, limits: KeepLimits): Promise<NotificationView | undefined> {
  return database.transaction(async (tx) => {
    // The packs first, as in the list.
    const packed = await findPacked(tx, id);
    if (packed !== undefined) return packed;
    const row = await reprocessNotification(tx, id, limits);
    if (row === undefined) return findNotification(tx, id, limits);
    const target = formatId('ntf', id);
    const action = 'notification.reprocessed';
    await insertAudit(tx, { accountId: null, actor: PLATFORM, action, target, detail: {} });
    return row;
  });
}

function presentNotification(row: NotificationView) {
  return {
    id: formatId('ntf', row.id),
    received_at: new Date(idTimeMs(row.id)).toISOString(),
    state: row.state,
    kinds: row.kinds ?? [],
    error: row.error,
    attempts: row.attempts,
  };
}
