import { Type } from 'typebox';
import { answer, count, orNull, ref, text, time, word } from '../http/schema-words.ts';
import { STEPS } from './step.ts';

const NUMBERS = {
  accepted: count('How many the provider has taken, whatever became of them.'),
  sent: count('How many are `sent`, `delivered` or `read`.'),
  delivered: count('How many are `delivered` or `read`.'),
  read: count('How many are `read`.'),
  failed: count('How many are `failed`, at the send or later.'),
  unknown: count('How many are `unknown`.'),
  received: count('How many messages came from people.'),
  to_delivery_ms: orNull({ ...ref('DeliveryTimes'), description: 'null where none was delivered.' }),
};
const EXAMPLE_NUMBERS = {
  accepted: 120,
  sent: 118,
  delivered: 114,
  read: 71,
  failed: 4,
  unknown: 0,
  received: 9,
  to_delivery_ms: { p50: 1310, p95: 4720 },
};

/** Shared schemas of the statistics. */
export const statisticsSchemas = {
  Statistics: answer(
    'What became of the messages that were made in a time, by the status that they have now.',
    {
      since: time('From when on; the beginning of the first bucket.'),
      until: time('Until when; the end of the last bucket, which may be yet to come.'),
      step: word('How long each bucket is. Days are those of UTC.', STEPS),
      computed_at: orNull(time('When the newest of these figures was counted; null where there is none.')),
      totals: ref('StatisticsNumbers', 'Over the whole time.'),
      buckets: Type.Array(ref('StatisticsBucket'), { description: 'In the order of time, the empty ones too.' }),
      failures: Type.Array(
        answer('Messages that failed alike.', { code: text('Their code.'), count: count('How many they are.') }),
        { description: 'The failed messages by their code, the most frequent first.' },
      ),
    },
    {
      since: '2026-01-31T12:00:00.000Z',
      until: '2026-01-31T13:00:00.000Z',
      step: 'hour',
      computed_at: '2026-01-31T12:59:58.120Z',
      totals: EXAMPLE_NUMBERS,
      buckets: [{ at: '2026-01-31T12:00:00.000Z', ...EXAMPLE_NUMBERS }],
      failures: [{ code: 'recipient_unreachable', count: 4 }],
    },
  ),
  StatisticsNumbers: answer('Counted messages.', NUMBERS, EXAMPLE_NUMBERS),
  StatisticsBucket: answer(
    'The messages that were made in one minute, hour or day.',
    { at: time('The beginning of the bucket.'), ...NUMBERS },
    { at: '2026-01-31T12:00:00.000Z', ...EXAMPLE_NUMBERS },
  ),
  DeliveryTimes: answer(
    'How long it took from when a message was made to when its delivery was reported, to within about a tenth.',
    {
      p50: count('Half of the delivered messages took at most this many milliseconds.'),
      p95: count('95 of 100 took at most this many.'),
    },
    EXAMPLE_NUMBERS.to_delivery_ms,
  ),
};
