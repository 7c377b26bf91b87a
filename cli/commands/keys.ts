import { type CommandSpec, PAGING, pick, textOf, textsOf } from '../command-spec.ts';
import { wholeNumber } from '../whole-number.ts';

const COLUMNS = {
  ID: 'id',
  NAME: 'name',
  MODE: 'mode',
  SCOPES: 'scopes',
  EXPIRES: 'expires_at',
  'LAST USED': 'last_used_at',
};
const SHOWN_ONCE = 'The key is shown this once: keep it as you would a password.';

/** The keys of accounts, which the platform makes. */
export const keyCommands: readonly CommandSpec[] = [
  {
    use: 'keys list <account-id>',
    about: 'lists the keys of an account that are not revoked, without the keys themselves',
    key: 'platform',
    options: PAGING,
    examples: ['keys list 01a1fa74-...'],
    async run({ api, args: [account = ''], options, out }) {
      const query = pick(options, 'limit', 'cursor');
      out.list(await api.call('GET', keysOf(account), { query }), COLUMNS);
    },
  },
  {
    use: 'keys create <account-id>',
    about: 'creates a key of an account and shows it, once',
    key: 'platform',
    options: [
      { flags: '--name <name>', about: 'what it is for', required: true },
      { flags: '--mode <mode>', about: 'live or test', choices: ['live', 'test'], required: true },
      { flags: '--scope <scope>', about: 'what it may do; may be repeated; everything if not given', many: true },
      { flags: '--expires-at <time>', about: 'when it expires, such as 2027-01-31T12:00:00Z' },
    ],
    examples: ['keys create 01a1fa74-... --name Backend --mode test --scope messages:send'],
    async run({ api, args: [account = ''], options, out }) {
      const scopes = textsOf(options, 'scope');
      const body = { ...pick(options, 'name', 'mode', 'expires_at'), ...(scopes.length > 0 && { scopes }) };
      out.thing(await api.call('POST', keysOf(account), { body }));
      out.note(SHOWN_ONCE);
    },
  },
  {
    use: 'keys roll <id>',
    about: 'replaces a key with a new one, which is shown once; the old one stays valid for the overlap',
    key: 'platform',
    options: [
      {
        flags: '--overlap-seconds <seconds>',
        about: 'how many seconds the old one stays valid: 0 to 604800; 86400 if not given',
      },
    ],
    examples: ['keys roll key_01m7x79nvbes... --overlap-seconds 3600'],
    async run({ api, args: [id = ''], options, out }) {
      const seconds = wholeNumber(textOf(options, 'overlapSeconds'), '--overlap-seconds');
      const body = seconds === undefined ? {} : { overlap_seconds: seconds };
      out.thing(await api.call('POST', `/platform/v1/keys/${encodeURIComponent(id)}/roll`, { body }));
      out.note(SHOWN_ONCE);
    },
  },
  {
    use: 'keys revoke <id>',
    about: 'revokes a key for good, within two seconds',
    key: 'platform',
    examples: ['keys revoke key_01m7x79nvbes...'],
    async run({ api, args: [id = ''], out }) {
      await api.call('DELETE', `/platform/v1/keys/${encodeURIComponent(id)}`);
      out.note(`${id} is revoked.`);
    },
  },
];

function keysOf(account: string): string {
  return `/platform/v1/accounts/${encodeURIComponent(account)}/keys`;
}
