import { type CommandSpec, PAGING, pick, textOf } from '../command-spec.ts';
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
/** The default that the help names. It is also sent with the call, because a page that has this many events may be cut. */
const LIMIT_DEFAULT = '50';

/** The log of events: one page of it, or its end as it grows. */
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
      const limit = textOf(options, 'limit') ?? LIMIT_DEFAULT;
      const answer = await api.call('GET', '/api/v1/events', { query: { ...pick(options, 'after', 'type'), limit } });
      out.list(answer, COLUMNS);
      const last = lastOfFull(answer.json, Number(limit));
      // With a filter by type, nobody knows whether there is such an event among those that follow.
      const remark = textOf(options, 'type') === undefined ? 'There is more' : 'There may be more';
      if (last !== undefined && !out.json) out.note(`${remark}: --after ${last}`);
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

/** The number of the last event on a page that ends at the limit; undefined if the page ends where the log does. */
function lastOfFull(page: unknown, limit: number): number | undefined {
  const { data, latest_sequence: latest }: { data?: unknown; latest_sequence?: unknown } = Object(page);
  if (!Array.isArray(data) || data.length < limit) return undefined;
  const last: unknown = Reflect.get(Object(data.at(-1)), 'sequence');
  return typeof last === 'number' && last < Number(latest) ? last : undefined;
}
