import { type CommandSpec, PAGING, pick } from '../command-spec.ts';
import { withDetails } from '../detail-of.ts';
import { listOf } from '../list-of.ts';
import { printable } from '../table.ts';

/** What matters most comes first, because a narrow terminal cuts the rest. */
const COLUMNS = {
  ID: 'id',
  STATUS: 'status',
  TO: 'to',
  ERROR: 'error.code',
  TYPE: 'type',
  DIRECTION: 'direction',
  FROM: 'from',
  CREATED: 'created_at',
};
const TIMELINE = { STATUS: 'status', AT: 'at', 'RECEIVED AT': 'received_at', NOTE: 'note', ERROR: 'error.code' };
const RESULTS = { TO: 'to', STATUS: 'status', ID: 'id', ERROR: 'error.code', DETAIL: 'detail' };

/** Messages and requests, read back. */
export const messageCommands: readonly CommandSpec[] = [
  {
    use: 'messages list',
    about: 'lists messages, newest first',
    key: 'account',
    options: [
      { flags: '--request-id <id>', about: 'only those of this request' },
      { flags: '--message-id <id>', about: 'only the one with this id of the provider' },
      { flags: '--client-reference <text>', about: 'only those with this reference of yours' },
      { flags: '--to <number>', about: 'only those to this number or user id' },
      { flags: '--person <number>', about: 'only those to or from this person, by number or user id' },
      { flags: '--status <status>', about: 'only those in this status, such as failed or unknown' },
      { flags: '--direction <direction>', about: 'only those in this direction', choices: ['outbound', 'inbound'] },
      { flags: '--since <time>', about: 'only those created then or later, such as 2026-01-31T12:00:00Z' },
      ...PAGING,
    ],
    examples: ['messages --status failed --since 2026-01-31T00:00:00Z', 'messages --to +447700900123 --json'],
    async run({ api, options, out }) {
      const names = ['request_id', 'message_id', 'client_reference', 'to', 'person', 'status', 'direction', 'since'];
      const query = pick(options, ...names, 'limit', 'cursor');
      out.list(await api.call('GET', '/api/v1/messages', { query }), COLUMNS);
    },
  },
  {
    use: 'messages get <id>',
    about: 'shows one message and its timeline',
    key: 'account',
    examples: ['messages get msg_01m7xan1hee2...'],
    async run({ api, args: [id = ''], out }) {
      const answer = await api.call('GET', `/api/v1/messages/${encodeURIComponent(id)}`);
      if (out.json) return void out.thing(answer);
      const { timeline, ...message }: Record<string, unknown> = Object(answer.json);
      out.thing({ ...answer, json: message });
      out.line('');
      out.table(listOf(timeline), TIMELINE);
    },
  },
  {
    use: 'requests get <id>',
    about: 'shows the answer of a send as it would be given now',
    key: 'account',
    examples: ['requests get req_01m7xan1hbe4...'],
    async run({ api, args: [id = ''], out }) {
      const answer = await api.call('GET', `/api/v1/requests/${encodeURIComponent(id)}`);
      if (out.json) return void out.thing(answer);
      const { results, ...request }: Record<string, unknown> = Object(answer.json);
      out.table(withDetails(results), RESULTS);
      out.note(
        Object.entries(request)
          .map(([name, value]) => `${name} ${printable(value)}`)
          .join(', '),
      );
    },
  },
];
