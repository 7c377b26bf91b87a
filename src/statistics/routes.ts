import { Type } from 'typebox';
import { accountRoute, type Route } from '../http/route.ts';
import { readTimeMs, timeParameter } from '../http/time-parameter.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ReadsInTurn } from '../kernel/reads-in-turn.ts';
import type { Database } from '../store/database.ts';
import { statisticsOperations } from './operations.ts';
import { presentStatistics } from './present.ts';
import { chooseRange, STEPS } from './step.ts';
import { readBuckets } from './store.ts';

interface Deps {
  database: Database;
  inTurn: ReadsInTurn;
  clock: Clock;
}

const QUERY = Type.Object(
  {
    since: Type.Optional(
      timeParameter(
        'Count from this RFC 3339 time, rounded down to the beginning of its bucket; 24 h before `until` if left out.',
      ),
    ),
    until: Type.Optional(
      timeParameter('Count up to this RFC 3339 time, rounded up to the end of its bucket; now if left out.'),
    ),
    step: Type.Optional(
      Type.Enum([...STEPS], { description: 'How long each bucket is; if left out, it depends on the range.' }),
    ),
  },
  { additionalProperties: false },
);

/** What became of an account's messages, in numbers. */
export function statisticsRoutes({ database, inTurn, clock }: Deps): Route[] {
  return [
    accountRoute({
      method: 'GET',
      path: '/api/v1/statistics',
      scope: 'messages:read',
      summary: 'Count messages by minute, hour or day',
      operation: statisticsOperations.statistics,
      bodyUse: 'none',
      querySchema: QUERY,
      async handle({ principal: { accountId, mode }, query: { since, until, step } }) {
        const wish = {
          ...(since !== undefined && { sinceMs: readTimeMs(since) }),
          ...(until !== undefined && { untilMs: readTimeMs(until) }),
          ...(step !== undefined && { step }),
        };
        const range = chooseRange(wish, clock.nowMs());
        // Of some hundred buckets that takes a hundredth of a second and more.
        return inTurn(accountId, async () => {
          const rows = await readBuckets(database, accountId, mode, range);
          return { status: 200, body: presentStatistics(range, rows) };
        });
      },
    }),
  ];
}
