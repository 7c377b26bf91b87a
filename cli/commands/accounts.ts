import { type CommandSpec, type Invocation, PAGING, pick } from '../command-spec.ts';
import { requireYes } from '../require-yes.ts';

const COLUMNS = { ID: 'id', NAME: 'name', SUSPENDED: 'suspended', CREATED: 'created_at' };
const PATH = '/platform/v1/accounts';

/** The platform's customers. */
export const accountCommands: readonly CommandSpec[] = [
  {
    use: 'accounts list',
    about: 'lists accounts, newest first',
    key: 'platform',
    options: [
      {
        flags: '--search <text>',
        about: 'only those with this in their name, or with this id, phone number or number id',
      },
      ...PAGING,
    ],
    examples: ['accounts', 'accounts --search acme'],
    async run({ api, options, out }) {
      out.list(await api.call('GET', PATH, { query: pick(options, 'search', 'limit', 'cursor') }), COLUMNS);
    },
  },
  {
    use: 'accounts create <name>',
    about: 'creates an account, with a test channel',
    key: 'platform',
    examples: ['accounts create "Acme"'],
    async run({ api, args: [name = ''], out }) {
      out.thing(await api.call('POST', PATH, { body: { name } }));
    },
  },
  {
    use: 'accounts get <id>',
    about: 'shows one account',
    key: 'platform',
    examples: ['accounts get 01a1fa74-...'],
    async run({ api, args: [id = ''], out }) {
      out.thing(await api.call('GET', pathOf(id)));
    },
  },
  {
    use: 'accounts rename <id> <name>',
    about: 'renames an account',
    key: 'platform',
    examples: ['accounts rename 01a1fa74-... "Acme Ltd"'],
    run: (invocation) => change(invocation, { name: invocation.args[1] }),
  },
  {
    use: 'accounts suspend <id>',
    about: 'suspends an account: within two seconds it can only read',
    key: 'platform',
    examples: ['accounts suspend 01a1fa74-...'],
    run: (invocation) => change(invocation, { suspended: true }),
  },
  {
    use: 'accounts resume <id>',
    about: 'ends a suspension',
    key: 'platform',
    examples: ['accounts resume 01a1fa74-...'],
    run: (invocation) => change(invocation, { suspended: false }),
  },
  {
    use: 'accounts delete <id>',
    about: 'deletes an account and all its data, for good',
    key: 'platform',
    options: [{ flags: '--yes', about: 'confirms that you mean it' }],
    examples: ['accounts delete 01a1fa74-... --yes'],
    async run({ api, args: [id = ''], options, out }) {
      requireYes(options, `This deletes the account ${id} with its keys, channels, messages and events, for good.`);
      await api.call('DELETE', pathOf(id));
      out.note(`${id} is deleted; its data will be gone within minutes.`);
    },
  },
];

async function change({ api, args: [id = ''], out }: Invocation, body: object): Promise<undefined> {
  out.thing(await api.call('PATCH', pathOf(id), { body }));
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}
