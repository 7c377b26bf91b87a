import { Type } from 'typebox';
import { requireAccount } from '../accounts/require-account.ts';
import { EXAMPLE } from '../http/examples.ts';
import { PAGE_SCHEMA, pageOf, readPage } from '../http/page.ts';
import { accountRoute, platformRoute, type Route } from '../http/route.ts';
import { textOfForm } from '../http/text-of-form.ts';
import { ApiError } from '../kernel/errors.ts';
import { parseId } from '../kernel/ids.ts';
import { noSuch } from '../kernel/no-such.ts';
import { readPhoneNumber } from '../kernel/phone-number.ts';
import type { Mode } from '../kernel/principal.ts';
import type { Sealer } from '../kernel/sealed.ts';
import type { Provider } from '../provider/port.ts';
import type { Database } from '../store/database.ts';
import { changeChannel, removeChannel } from './change.ts';
import type { Channels } from './channels.ts';
import { connectChannel } from './connect.ts';
import { channelOperations } from './operations.ts';
import { presentChannel, presentForPlatform } from './present.ts';
import { type ChannelRow, findChannel, listChannelRows } from './store.ts';

interface Deps {
  database: Database;
  provider: Provider;
  sealer: Sealer;
  channels: Pick<Channels, 'forget'>;
  sandbox: boolean;
  publicUrl(): string;
}

const PHONE_NUMBER = textOfForm(
  {
    ...{ minLength: 1, maxLength: 40 },
    description: 'The phone number in international form, as people or the provider write it.',
  },
  (text) => readDisplayNumber(text) !== undefined,
  () => 'This must be a phone number in international form.',
);
const ACCESS_TOKEN_FORM = /^[\x21-\x7e]{1,2000}$/;
const ACCESS_TOKEN = textOfForm(
  {
    pattern: ACCESS_TOKEN_FORM.source,
    description: "The provider's access token. It is kept sealed and never comes back out.",
  },
  (text) => ACCESS_TOKEN_FORM.test(text),
  () => 'This must be 1 to 2000 visible ASCII characters, without spaces and line ends.',
);
const DEFAULT = Type.Boolean({ description: 'Whether a send without `from` goes out from it.' });
const CHANNEL_MEMBERS = {
  phone_number_id: providerId("The provider's id of the phone number: digits. The sandbox takes any."),
  business_account_id: providerId("The provider's id of the business account: digits. The sandbox takes any."),
  display_phone_number: PHONE_NUMBER,
  access_token: ACCESS_TOKEN,
  mode: Type.Optional(
    Type.Enum(['live', 'test'], { description: 'At the real provider, or at the sandbox; `live` if left out.' }),
  ),
  default: Type.Optional(DEFAULT),
};
const CHANNEL_BODY = Type.Object(CHANNEL_MEMBERS, {
  additionalProperties: false,
  // The ids of the real provider are numbers, and anything else is told before anybody is asked.
  if: { properties: { mode: { const: 'test' } }, required: ['mode'] },
  else: { properties: { phone_number_id: numberIfId(), business_account_id: numberIfId() } },
  describedAs: Type.Object(CHANNEL_MEMBERS, {
    description: 'Connect a phone number to an account, after asking the provider.',
    additionalProperties: false,
    examples: [
      {
        phone_number_id: '<PHONE_NUMBER_ID>',
        business_account_id: '<BUSINESS_ACCOUNT_ID>',
        display_phone_number: EXAMPLE.channelPhone,
        access_token: '<ACCESS_TOKEN>',
      },
    ],
  }),
});
const CHANNEL_CHANGES = Type.Object(
  {
    access_token: Type.Optional(ACCESS_TOKEN),
    display_phone_number: Type.Optional(PHONE_NUMBER),
    default: Type.Optional(DEFAULT),
  },
  { additionalProperties: false, examples: [{ access_token: '<ACCESS_TOKEN>' }, { default: true }] },
);

/** An id of the provider. The description has placeholders for such ids, which no pattern takes. */
function providerId(description: string) {
  const detail = 'This must be 1 to 64 letters, digits, dots, colons, hyphens and underscores.';
  return textOfForm({ description }, isProviderId, () => detail);
}

function isProviderId(text: string): boolean {
  return /^[A-Za-z0-9][\w.:-]{0,63}$/.test(text);
}

/** What is no id at all is told already. */
function numberIfId() {
  return textOfForm(
    { description: 'Digits.' },
    (text) => /^[0-9]+$/.test(text) || !isProviderId(text),
    () => 'This must be 1 to 64 digits.',
  );
}

/** Channels: connecting, changing, removing and listing for the platform, reading for accounts. */
export function channelRoutes(deps: Deps): Route[] {
  return [connectRoute(deps), changeRoute(deps), removeRoute(deps), platformListRoute(deps), ownListRoute(deps)];
}

function connectRoute(deps: Deps): Route {
  const { database, publicUrl } = deps;
  return platformRoute({
    method: 'POST',
    path: '/platform/v1/accounts/:id/channels',
    summary: 'Connect a phone number to an account, after asking the provider',
    operation: channelOperations.connect,
    bodyUse: 'json',
    bodySchema: CHANNEL_BODY,
    async handle({ params, body }) {
      const { id: accountId } = await requireAccount(database, params.id);
      const mode = body.mode ?? 'live';
      const { phone_number_id: phoneNumberId, business_account_id: businessAccountId } = body;
      refuseWithoutSandbox(mode, deps.sandbox);
      const wish = {
        accountId,
        mode,
        phoneNumberId,
        businessAccountId,
        phoneNumber: requireDisplayNumber(body.display_phone_number),
        accessToken: body.access_token,
        isDefault: body.default ?? false,
      };
      const channel = await connectChannel(deps, wish);
      deps.channels.forget(accountId);
      const location = `${publicUrl()}/platform/v1/accounts/${accountId}/channels`;
      return { status: 201, body: presentForPlatform(channel), headers: { location } };
    },
  });
}

function changeRoute(deps: Deps): Route {
  return platformRoute({
    method: 'PATCH',
    path: '/platform/v1/channels/:id',
    summary: 'Change a channel; a new access token is checked with the provider first',
    operation: channelOperations.change,
    bodyUse: 'json',
    bodySchema: CHANNEL_CHANGES,
    async handle({ params, body: { access_token: accessToken, display_phone_number: shown, default: isDefault } }) {
      const before = await requireChannel(deps.database, params.id);
      const phoneNumber = shown === undefined ? undefined : requireDisplayNumber(shown);
      if (accessToken !== undefined) refuseWithoutSandbox(before.mode, deps.sandbox);
      const channel = await changeChannel(deps, before, { accessToken, phoneNumber, isDefault });
      deps.channels.forget(channel.account_id);
      return { status: 200, body: presentForPlatform(channel) };
    },
  });
}

function removeRoute({ database, channels }: Deps): Route {
  return platformRoute({
    method: 'DELETE',
    path: '/platform/v1/channels/:id',
    summary: 'Remove a channel; its messages stay',
    operation: channelOperations.remove,
    bodyUse: 'none',
    async handle({ params }) {
      const channel = await requireChannel(database, params.id);
      await removeChannel(database, channel);
      channels.forget(channel.account_id);
      return { status: 204 };
    },
  });
}

async function requireChannel(database: Database, text: string | undefined): Promise<ChannelRow> {
  const id = parseId('chn', text);
  const channel = id === undefined ? undefined : await findChannel(database, id);
  if (channel === undefined) throw noSuch('chn', text);
  return channel;
}

function refuseWithoutSandbox(mode: Mode, sandbox: boolean): void {
  if (mode === 'test' && !sandbox) throw new ApiError('channel_refused', 'The sandbox is off.');
}

function platformListRoute({ database }: Deps): Route {
  return platformRoute({
    method: 'GET',
    path: '/platform/v1/accounts/:id/channels',
    summary: 'List the channels of an account, newest first',
    operation: channelOperations.listOfAccount,
    bodyUse: 'none',
    querySchema: PAGE_SCHEMA,
    async handle({ params, query }) {
      const { id: accountId } = await requireAccount(database, params.id);
      const page = readPage(query);
      const rows = await listChannelRows(database, { accountId, mode: null }, page.before, page.limit + 1);
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
    operation: channelOperations.list,
    bodyUse: 'none',
    querySchema: PAGE_SCHEMA,
    async handle({ principal, query }) {
      const page = readPage(query);
      const rows = await listChannelRows(database, principal, page.before, page.limit + 1);
      return { status: 200, body: pageOf(rows, page, rows.map(presentChannel)) };
    },
  });
}

/** Of a body whose form was checked. */
function requireDisplayNumber(text: string): string {
  const number = readDisplayNumber(text);
  if (number === undefined) throw new Error('A number that was found good cannot be read');
  return number;
}

/** Reads it as a recipient's number is read; only the plus may be missing, because the provider itself leaves it out at times. */
function readDisplayNumber(text: string): string | undefined {
  return readPhoneNumber(text.includes('+') ? text : `+${text}`);
}
