import { type CommandSpec, PAGING, pick } from '../command-spec.ts';
import { EVENT_TYPES, tailEvents } from '../tail-events.ts';

const COLUMNS = {
  SEQUENCE: 'sequence',
  TYPE: 'type',
  TO: 'data.message.to',
  ERROR: 'data.message.error.code',
  MESSAGE: 'data.message.id',
  AT: 'timestamp',
};
const TYPE_OPTION = { flags: '--type <types>', about: `only these, separated by commas: ${EVENT_TYPES.join(', ')}` };

/** The log of events: a page of it, or its end as it grows. */
export const eventCommands: readonly CommandSpec[] = [
  {
    use: 'events list',
    about: 'lists events, oldest first',
    key: 'account',
    options: [
      { flags: '--after <sequence>', about: 'after this number; from the first one if not given' },
      TYPE_OPTION,
      ...PAGING.filter(({ flags }) => !flags.startsWith('--cursor')),
    ],
    examples: ['events --after 1041 --type message.failed,message.unknown'],
    async run({ api, options, out }) {
      const query = pick(options, 'after', 'type', 'limit');
      out.list(await api.call('GET', '/api/v1/events', { query }), COLUMNS);
      return undefined;
    },
  },
  {
    use: 'events tail',
    about: 'prints events as they are recorded, until Ctrl-C; goes on after lost connections',
    key: 'account',
    options: [
      {
        flags: '--after <sequence>',
        about: 'begins after this number, or with 0 at the oldest; if not given: after the number in --state, else now',
      },
      TYPE_OPTION,
      {
        flags: '--state <file>',
        about: 'keeps the last number here, so that the next run begins after it',
      },
    ],
    examples: ['events tail', 'events tail --json --state events.state | my-importer'],
    run: tailEvents,
  },
];
