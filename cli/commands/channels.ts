import { type CommandSpec, type Options, PAGING, pick, textOf } from '../command-spec.ts';
import { readSecretFile } from '../read-secret-file.ts';

const WHICH = { ID: 'id', STATUS: 'status', NUMBER: 'phone_number', MODE: 'mode', DEFAULT: 'default' };
const FACTS = { QUALITY: 'quality', LIMIT: 'messaging_limit', NAME: 'name' };
/** What the provider calls it is for the platform only. */
const PROVIDER_IDS = { 'PHONE NUMBER ID': 'phone_number_id', 'BUSINESS ACCOUNT ID': 'business_account_id' };
const TOKEN_OPTION = '--access-token-file <file>';
const TOKEN_ABOUT = "a file with the provider's access token; - reads standard input";

/** Phone numbers: what an account sees of its own, and what the platform does with them. */
export const channelCommands: readonly CommandSpec[] = [
  {
    use: 'channels list',
    about: "lists the account's channels of the key's mode",
    key: 'account',
    options: PAGING,
    examples: ['channels'],
    async run({ api, options, out }) {
      out.list(await api.call('GET', '/api/v1/channels', { query: pick(options, 'limit', 'cursor') }), {
        ...WHICH,
        ...FACTS,
      });
    },
  },
  {
    use: 'channels connect <account-id>',
    about: 'connects a phone number to an account, after asking the provider (platform key)',
    key: 'platform',
    options: [
      { flags: '--phone-number-id <id>', about: "the provider's id of the number", required: true },
      { flags: '--business-account-id <id>', about: "the provider's id of the business account", required: true },
      { flags: '--display-phone-number <number>', about: 'the number itself', required: true },
      { flags: TOKEN_OPTION, about: TOKEN_ABOUT, required: true },
      { flags: '--mode <mode>', about: 'live if not given', choices: ['live', 'test'] },
      { flags: '--default', about: 'makes it the channel of sends that name none' },
    ],
    examples: [
      'channels connect 01a1fa74-... --phone-number-id 1065... --business-account-id 1022... --display-phone-number +15550783881 --access-token-file token.txt',
    ],
    async run({ api, args: [account = ''], options, out }) {
      const members = pick(options, 'phone_number_id', 'business_account_id', 'display_phone_number', 'mode');
      const body = { ...members, ...tokenAndDefault(options) };
      out.thing(await api.call('POST', `/platform/v1/accounts/${encodeURIComponent(account)}/channels`, { body }));
    },
  },
  {
    use: 'channels update <id>',
    about: 'changes a channel; a new access token is checked with the provider first (platform key)',
    key: 'platform',
    options: [
      { flags: TOKEN_OPTION, about: TOKEN_ABOUT },
      { flags: '--display-phone-number <number>', about: 'the number, if it has changed' },
      { flags: '--default', about: 'makes it the channel of sends that name none' },
    ],
    examples: ['channels update chn_01m7x79nvqe7... --access-token-file token.txt'],
    async run({ api, args: [id = ''], options, out }) {
      const body = { ...pick(options, 'display_phone_number'), ...tokenAndDefault(options) };
      out.thing(await api.call('PATCH', `/platform/v1/channels/${encodeURIComponent(id)}`, { body }));
    },
  },
  {
    use: 'channels remove <id>',
    about: 'removes a channel; its messages stay (platform key)',
    key: 'platform',
    examples: ['channels remove chn_01m7x79nvqe7...'],
    async run({ api, args: [id = ''], out }) {
      await api.call('DELETE', `/platform/v1/channels/${encodeURIComponent(id)}`);
      out.note(`${id} is removed.`);
    },
  },
  {
    use: 'accounts channels <account-id>',
    about: 'lists the channels of an account',
    key: 'platform',
    options: PAGING,
    examples: ['accounts channels 01a1fa74-...'],
    async run({ api, args: [account = ''], options, out }) {
      const path = `/platform/v1/accounts/${encodeURIComponent(account)}/channels`;
      const answer = await api.call('GET', path, { query: pick(options, 'limit', 'cursor') });
      out.list(answer, { ...WHICH, ...PROVIDER_IDS, ...FACTS });
    },
  },
];

function tokenAndDefault(options: Options) {
  const file = textOf(options, 'accessTokenFile');
  return {
    ...(file !== undefined && { access_token: readSecretFile(file, '--access-token-file') }),
    ...(options.default === true && { default: true }),
  };
}
