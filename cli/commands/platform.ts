import { type CommandSpec, PAGING, pick } from '../command-spec.ts';
import { requireYes } from '../require-yes.ts';

const NOTIFICATIONS = {
  ID: 'id',
  STATE: 'state',
  KINDS: 'kinds',
  ATTEMPTS: 'attempts',
  ERROR: 'error',
  'RECEIVED AT': 'received_at',
};
const AUDIT = { AT: 'at', ACTION: 'action', TARGET: 'target', ACTOR: 'actor', ACCOUNT: 'account_id', DETAIL: 'detail' };

/** What the platform looks after besides accounts, keys and channels. */
export const platformCommands: readonly CommandSpec[] = [
  {
    use: 'notifications list',
    about: 'lists what the provider has posted, newest first, without the content',
    key: 'platform',
    options: [
      { flags: '--state <state>', about: 'only those in this state', choices: ['waiting', 'applied', 'set_aside'] },
      ...PAGING,
    ],
    examples: ['notifications --state set_aside'],
    async run({ api, options, out }) {
      const query = pick(options, 'state', 'limit', 'cursor');
      out.list(await api.call('GET', '/platform/v1/notifications', { query }), NOTIFICATIONS);
    },
  },
  {
    use: 'notifications reprocess <id>',
    about: 'applies a notification again',
    key: 'platform',
    examples: ['notifications reprocess ntf_01m7x79nvbes...'],
    async run({ api, args: [id = ''], out }) {
      out.thing(await api.call('POST', `/platform/v1/notifications/${encodeURIComponent(id)}/reprocess`));
    },
  },
  {
    use: 'audit',
    about: 'lists every change made with any key, newest first (platform key)',
    key: 'platform',
    options: [{ flags: '--account-id <id>', about: 'only those of this account' }, ...PAGING],
    examples: ['audit --account-id 01a1fa74-...'],
    async run({ api, options, out }) {
      const query = pick(options, 'account_id', 'limit', 'cursor');
      out.list(await api.call('GET', '/platform/v1/audit', { query }), AUDIT);
    },
  },
  {
    use: 'erase <account-id>',
    about: "erases what identifies a person from an account's data, for good (platform key)",
    key: 'platform',
    options: [
      { flags: '--to <number>', about: "the person's number" },
      { flags: '--user-id <id>', about: "or the provider's id of the person" },
      { flags: '--yes', about: 'confirms that you mean it' },
    ],
    examples: ['erase 01a1fa74-... --to +447700900123 --yes'],
    async run({ api, args: [account = ''], options, out }) {
      requireYes(options, `This erases what identifies the person from the data of the account ${account}, for good.`);
      const body = pick(options, 'to', 'user_id');
      out.thing(await api.call('POST', `/platform/v1/accounts/${encodeURIComponent(account)}/erase`, { body }));
    },
  },
];
