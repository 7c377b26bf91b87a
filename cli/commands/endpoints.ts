import { readFileSync } from 'node:fs';
import { type CommandSpec, type Options, PAGING, pick, textOf } from '../command-spec.ts';
import { EXIT, usage } from '../failure.ts';
import { listOf } from '../list-of.ts';
import { messageOf } from '../message-of.ts';
import { wholeNumber } from '../whole-number.ts';

const PATH = '/api/v1/endpoints';
const COLUMNS = { ID: 'id', ENABLED: 'enabled', URL: 'url', TYPES: 'types', REASON: 'disabled_reason' };
const ATTEMPTS = {
  OUTCOME: 'outcome',
  HTTP: 'http_status',
  ERROR: 'error',
  TYPE: 'type',
  NUMBER: 'number',
  AT: 'at',
  NEXT: 'next_at',
  MS: 'duration_ms',
  EVENT: 'event_id',
};
const TYPES_OPTION = { flags: '--types <types>', about: 'the types of events, separated by commas, or all' };
const SHOWN_ONCE = 'The secret is shown this once: keep it as you would a password.';

/** The URLs to which an account's events are posted. */
export const endpointCommands: readonly CommandSpec[] = [
  {
    use: 'endpoints list',
    about: 'lists endpoints',
    key: 'account',
    options: PAGING,
    examples: ['endpoints'],
    async run({ api, options, out }) {
      out.list(await api.call('GET', PATH, { query: pick(options, 'limit', 'cursor') }), COLUMNS);
    },
  },
  {
    use: 'endpoints get <id>',
    about: 'shows one endpoint',
    key: 'account',
    examples: ['endpoints get end_01m7x79nvbes...'],
    async run({ api, args: [id = ''], out }) {
      out.thing(await api.call('GET', pathOf(id)));
    },
  },
  {
    use: 'endpoints create <url>',
    about: 'creates an endpoint and shows its secret, once',
    key: 'account',
    options: [TYPES_OPTION, { flags: '--description <text>', about: 'what it is for' }],
    examples: ['endpoints create https://shop.example/events --types message.delivered,message.failed'],
    async run({ api, args: [url], options, out }) {
      out.thing(await api.call('POST', PATH, { body: { url, ...pick(options, 'description'), ...typesOf(options) } }));
      out.note(SHOWN_ONCE);
    },
  },
  {
    use: 'endpoints update <id>',
    about: 'changes an endpoint, or turns it off or on',
    key: 'account',
    options: [
      { flags: '--endpoint-url <url>', about: 'where events go' },
      TYPES_OPTION,
      { flags: '--description <text>', about: 'what it is for' },
      { flags: '--no-description', about: 'takes that away' },
      { flags: '--enabled <on>', about: 'whether events go to it', choices: ['true', 'false'] },
    ],
    examples: ['endpoints update end_01m7x79nvbes... --enabled true'],
    async run({ api, args: [id = ''], options, out }) {
      const url = textOf(options, 'endpointUrl');
      const enabled = textOf(options, 'enabled');
      const body = {
        ...pick(options, 'description'),
        ...(options.description === false && { description: null }),
        ...typesOf(options),
        ...(url !== undefined && { url }),
        ...(enabled !== undefined && { enabled: enabled === 'true' }),
      };
      out.thing(await api.call('PATCH', pathOf(id), { body }));
    },
  },
  {
    use: 'endpoints delete <id>',
    about: 'deletes an endpoint and everything on its way to it',
    key: 'account',
    examples: ['endpoints delete end_01m7x79nvbes...'],
    async run({ api, args: [id = ''], out }) {
      await api.call('DELETE', pathOf(id));
      out.note(`${id} is deleted.`);
    },
  },
  {
    use: 'endpoints rotate-secret <id>',
    about: 'creates a new secret; both sign during the overlap',
    key: 'account',
    options: [
      {
        flags: '--overlap-seconds <seconds>',
        about: 'how many seconds the old one stays valid: 0 to 604800; 86400 if not given',
      },
    ],
    examples: ['endpoints rotate-secret end_01m7x79nvbes... --overlap-seconds 3600'],
    async run({ api, args: [id = ''], options, out }) {
      const seconds = wholeNumber(textOf(options, 'overlapSeconds'), '--overlap-seconds');
      const body = seconds === undefined ? {} : { overlap_seconds: seconds };
      out.thing(await api.call('POST', `${pathOf(id)}/rotate-secret`, { body }));
      out.note(SHOWN_ONCE);
    },
  },
  {
    use: 'endpoints test <id>',
    about: 'sends one test event, and shows how it went',
    key: 'account',
    examples: ['endpoints test end_01m7x79nvbes...'],
    async run({ api, args: [id = ''], out }) {
      const answer = await api.call('POST', `${pathOf(id)}/test`);
      out.thing(answer);
      return Object(answer.json).outcome === 'succeeded' ? EXIT.done : EXIT.failed;
    },
  },
  {
    use: 'endpoints attempts <id>',
    about: 'lists every try to deliver an event to an endpoint, newest first',
    key: 'account',
    options: [
      { flags: '--event-id <id>', about: 'only tries of this event' },
      { flags: '--outcome <outcome>', about: 'only tries that went this way', choices: ['succeeded', 'failed'] },
      ...PAGING,
    ],
    examples: ['endpoints attempts end_01m7x79nvbes... --outcome failed'],
    async run({ api, args: [id = ''], options, out }) {
      const query = pick(options, 'event_id', 'outcome', 'limit', 'cursor');
      out.list(await api.call('GET', `${pathOf(id)}/attempts`, { query }), ATTEMPTS);
    },
  },
  {
    use: 'endpoints replay <id>',
    about: 'sends recorded events again',
    key: 'account',
    options: [
      { flags: '--after-sequence <number>', about: 'all events after this number' },
      { flags: '--event-id <id>', about: 'or only this event' },
    ],
    examples: ['endpoints replay end_01m7x79nvbes... --after-sequence 1041'],
    async run({ api, args: [id = ''], options, out }) {
      const after = wholeNumber(textOf(options, 'afterSequence'), '--after-sequence');
      const body = { ...pick(options, 'event_id'), ...(after !== undefined && { after_sequence: after }) };
      out.thing(await api.call('POST', `${pathOf(id)}/replay`, { body }));
    },
  },
  {
    use: 'endpoints check-signature <id>',
    about: 'says what is wrong with a signature that you received',
    key: 'account',
    options: [
      { flags: '--headers-file <file>', about: 'the headers, as JSON or as lines of "name: value"', required: true },
      { flags: '--body-file <file>', about: 'the body, byte for byte', required: true },
    ],
    examples: ['endpoints check-signature end_01m7x79nvbes... --headers-file headers.txt --body-file body.json'],
    async run({ api, args: [id = ''], options, out }) {
      const headers = parseHeaders(readText(textOf(options, 'headersFile') ?? ''));
      const body = { headers, body: readText(textOf(options, 'bodyFile') ?? '') };
      const answer = await api.call('POST', `${pathOf(id)}/check-signature`, { body, harmless: true });
      const { valid, problems }: Record<string, unknown> = Object(answer.json);
      if (out.json) out.thing(answer);
      else if (valid === true) out.line('The signature is valid.');
      else out.table(listOf(problems), { PROBLEM: 'code', DETAIL: 'detail' });
      return valid === true ? EXIT.done : EXIT.failed;
    },
  },
];

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

function typesOf(options: Options): { types?: string[] | null } {
  const types = textOf(options, 'types');
  if (types === undefined) return {};
  return { types: types === 'all' ? null : types.split(',').map((type) => type.trim()) };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw usage(`${path} cannot be read: ${messageOf(error)}`);
  }
}

function parseHeaders(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
    const headers = Map.groupBy(lines, (line) => line.split(':', 1)[0]?.trim());
    const valueIn = (line: string) => line.replace(/^[^:]*:/, '').trim();
    return Object.fromEntries([...headers].map(([name, same]) => [name, same.map(valueIn)]));
  }
}
