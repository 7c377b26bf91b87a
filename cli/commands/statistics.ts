import { type CommandSpec, pick } from '../command-spec.ts';
import { listOf } from '../list-of.ts';

const COUNTS = {
  ACCEPTED: 'accepted',
  SENT: 'sent',
  DELIVERED: 'delivered',
  READ: 'read',
  FAILED: 'failed',
  UNKNOWN: 'unknown',
  RECEIVED: 'received',
};

/** How many messages there were, and what became of them. */
export const statisticsCommand: CommandSpec = {
  use: 'statistics',
  about: 'counts messages by minute, hour or day, and why some failed',
  key: 'account',
  options: [
    { flags: '--since <time>', about: 'counts from this RFC 3339 time; 24 hours before the end if not given' },
    { flags: '--until <time>', about: 'counts up to this RFC 3339 time; now if not given' },
    {
      flags: '--step <step>',
      about: 'how long each line is; it depends on the range if not given',
      choices: ['minute', 'hour', 'day'],
    },
  ],
  examples: ['statistics', 'statistics --since 2026-11-01T00:00:00Z --step day'],
  async run({ api, options, out }) {
    const answer = await api.call('GET', '/api/v1/statistics', { query: pick(options, 'since', 'until', 'step') });
    if (out.json) return void out.thing(answer);
    const { buckets, totals, failures, computed_at: countedAt }: Record<string, unknown> = Object(answer.json);
    out.table([...listOf(buckets).filter(isBusy), { ...Object(totals), at: 'all' }], { AT: 'at', ...COUNTS });
    if (listOf(failures).length > 0) {
      out.line('');
      out.table(listOf(failures), { ERROR: 'code', COUNT: 'count' });
    }
    // What was sent a moment ago is not in it yet.
    out.note(`As it was at ${countedAt}.`);
  },
};

/** A range may have hundreds of minutes in which nothing happened. */
function isBusy(bucket: unknown): boolean {
  return Object.values(COUNTS).some((name) => Reflect.get(Object(bucket), name) !== 0);
}
