import { type CommandSpec, PAGING, pick } from '../command-spec.ts';

const COLUMNS = {
  ID: 'id',
  NAME: 'name',
  LANGUAGE: 'language',
  STATUS: 'status',
  CATEGORY: 'category',
  QUALITY: 'quality',
  UPDATED: 'updated_at',
};

/** What the provider has approved, as the gateway knows it. */
export const templateCommands: readonly CommandSpec[] = [
  {
    use: 'templates list',
    about: 'lists templates',
    key: 'account',
    options: [
      { flags: '--name <name>', about: 'only those with this name' },
      { flags: '--language <code>', about: 'only those in this language, such as en_US' },
      { flags: '--status <status>', about: 'only those in this status, such as approved' },
      { flags: '--from <channel>', about: 'only those that this channel can send, by id or phone number' },
      ...PAGING,
    ],
    examples: ['templates --status approved'],
    async run({ api, options, out }) {
      const query = pick(options, 'name', 'language', 'status', 'from', 'limit', 'cursor');
      out.list(await api.call('GET', '/api/v1/templates', { query }), COLUMNS);
    },
  },
  {
    use: 'templates get <id>',
    about: 'shows one template with its components',
    key: 'account',
    examples: ['templates get tpl_01m7x79nvbes...'],
    async run({ api, args: [id = ''], out }) {
      out.thing(await api.call('GET', `/api/v1/templates/${encodeURIComponent(id)}`));
    },
  },
  {
    use: 'templates sync',
    about: 'reads all templates from the provider now',
    key: 'account',
    examples: ['templates sync'],
    async run({ api, out }) {
      out.thing(await api.call('POST', '/api/v1/templates/sync', { harmless: true }));
    },
  },
];
