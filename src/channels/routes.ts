import { Type } from 'typebox';
import { requireAccount } from '../accounts/routes.ts';
import { insertAudit } from '../accounts/store.ts';
import { PAGE_QUERY, pageOf, readPage } from '../http/page.ts';
import { accountRoute, platformRoute, type Route } from '../http/route.ts';
import { ApiError } from '../kernel/errors.ts';
import { formatId, newId } from '../kernel/ids.ts';
import type { Sealer } from '../kernel/sealed.ts';
import type { Provider } from '../provider/port.ts';
import type { Database } from '../store/database.ts';
import { connectChannel } from './connect.ts';
import { type ChannelRow, listChannelRows } from './store.ts';

interface Deps {
  database: Database;
  provider: Provider;
  sealer: Sealer;
  sandbox: boolean;
  publicUrl(): string;
}

/** The provider allows every number this much until it reports more. */
const THROUGHPUT_PER_SECOND = 80;

const CHANNEL_BODY = Type.Object(
  {
    phone_number_id: Type.String({ pattern: '^[0-9]{1,64}$' }),
    business_account_id: Type.String({ pattern: '^[0-9]{1,64}$' }),
    display_phone_number: Type.String({ minLength: 1, maxLength: 40 }),
    access_token: Type.String({ pattern: '^[\\x21-\\x7e]{1,2000}$' }),
    mode: Type.Optional(Type.Enum(['live', 'test'])),
    default: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
const PAGE = Type.Object(PAGE_QUERY, { additionalProperties: false });

/** Channels: connecting and listing for the platform, reading for accounts. */
export function channelRoutes(deps: Deps): Route[] {
  return [connectRoute(deps), platformListRoute(deps), ownListRoute(deps)];
}

function connectRoute(deps: Deps): Route {
  const { database, publicUrl } = deps;
  return platformRoute({
    method: 'POST',
    path: '/platform/v1/accounts/:id/channels',
    summary: 'Connect a phone number to an account, after asking the provider',
    bodyUse: 'json',
    bodySchema: CHANNEL_BODY,
    async handle({ params, body }) {
      const { id: accountId } = await requireAccount(database, params.id);
      const mode = body.mode ?? 'live';
      if (mode === 'test' && !deps.sandbox) throw new ApiError('channel_refused', 'The sandbox is off.');
      const wish = {
        accountId,
        mode,
        phoneNumberId: body.phone_number_id,
        businessAccountId: body.business_account_id,
        phoneNumber: readDisplayNumber(body.display_phone_number),
        accessToken: body.access_token,
        isDefault: body.default ?? false,
      };
      const channel = await connectChannel(deps, wish, (tx, id) => {
        const detail = { mode, phone_number_id: wish.phoneNumberId };
        const entry = { accountId, actor: 'platform', action: 'channel.connected', target: id, detail };
        return insertAudit(tx, { id: newId(), ...entry });
      });
      const location = `${publicUrl()}/platform/v1/accounts/${accountId}/channels`;
      return { status: 201, body: presentForPlatform(channel), headers: { location } };
    },
  });
}

function platformListRoute({ database }: Deps): Route {
  return platformRoute({
    method: 'GET',
    path: '/platform/v1/accounts/:id/channels',
    summary: 'List the channels of an account, newest first',
    bodyUse: 'none',
    querySchema: PAGE,
    async handle({ params, query }) {
      const { id } = await requireAccount(database, params.id);
      const page = readPage(query);
      const rows = await listChannelRows(database, id, null, page.before, page.limit + 1);
      return { status: 200, body: pageOf(rows, page, rows.map(presentForPlatform)) };
    },
  });
}

function ownListRoute({ database }: Deps): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/channels',
    scope: 'channels:read',
    summary: "List the account's channels of the key's mode, newest first",
    bodyUse: 'none',
    querySchema: PAGE,
    async handle({ principal: { accountId, mode }, query }) {
      const page = readPage(query);
      const rows = await listChannelRows(database, accountId, mode, page.before, page.limit + 1);
      return { status: 200, body: pageOf(rows, page, rows.map(presentChannel)) };
    },
  });
}

/** A number as people write it, such as the provider's own "+1 555-078-3881" or "15550783881", in E.164 form. */
function readDisplayNumber(text: string): string {
  const digits = text.replace(/[\s().-]/g, '').replace(/^\+/, '');
  if (/^[1-9][0-9]{6,14}$/.test(digits)) return `+${digits}`;
  throw new ApiError('invalid_request', 'The body is not valid.', {
    errors: [{ pointer: '#/display_phone_number', detail: 'This must be a phone number in international form.' }],
  });
}

function presentChannel(row: ChannelRow) {
  return {
    id: formatId('chn', row.id),
    mode: row.mode,
    phone_number: row.phone_number,
    name: row.name,
    default: row.is_default,
    status: row.status,
    quality: row.quality,
    throughput_per_second: row.throughput_per_second ?? THROUGHPUT_PER_SECOND,
    messaging_limit: row.messaging_limit,
    updated_at: row.updated_at.toISOString(),
  };
}

/** The platform sees the provider's ids too; the access token never comes back out. */
function presentForPlatform(row: ChannelRow) {
  return {
    ...presentChannel(row),
    account_id: row.account_id,
    phone_number_id: row.phone_number_id,
    business_account_id: row.business_account_id,
    created_at: row.created_at.toISOString(),
  };
}
