import { type TSchema, Type } from 'typebox';
import { EXAMPLE } from '../http/examples.ts';
import { answer, count, flag, orNull, ref, text, time } from '../http/schema-words.ts';

/** Shared schemas of the platform's state. */
export const platformStateSchemas = {
  PlatformState: answer(
    'What runs and what waits, according to the database.',
    {
      at: time('The time of the database.'),
      nodes: Type.Array(ref('NodeState'), { description: 'The gateways that run, or ended without signing off.' }),
      notifications: queue({
        waiting: ref('BoundedCount', 'How many are still to be applied.'),
        lag_ms: count('How long the oldest of those that are due has been due, in milliseconds.'),
        set_aside: ref('BoundedCount', 'How many of them hold something that could not be applied.'),
      }),
      deliveries: queue({
        waiting: ref('BoundedCount', 'How many are on their way to an endpoint.'),
        due: ref('BoundedCount', 'How many of them should be attempted now.'),
        lag_ms: count('How long the oldest of those that are due has been due, in milliseconds.'),
      }),
      requests: queue({
        running: ref('BoundedCount', 'How many sends are under way.'),
        oldest_at: orNull(time('When the oldest of them came; null if there is none.')),
        to_recover: count('How many of them were left by gateways that are gone.'),
      }),
      statistics: queue({
        due: ref('BoundedCount', 'How many minutes of accounts are to be counted again.'),
        lag_ms: count('How long the oldest of those that are due has been due, in milliseconds.'),
      }),
      database: answer('The database.', {
        version: text('The version of PostgreSQL.'),
        size_bytes: count('How large it is, in bytes.'),
        round_trip_ms: count('How long the question for its version and size took, in milliseconds.'),
      }),
    },
    {
      at: EXAMPLE.at,
      nodes: [
        {
          id: EXAMPLE.accountId,
          host: 'gateway-1',
          started_at: EXAMPLE.at,
          lease_until: EXAMPLE.later,
          alive: true,
        },
      ],
      notifications: { waiting: { count: 0, more: false }, lag_ms: 0, set_aside: { count: 0, more: false } },
      deliveries: { waiting: { count: 1_000, more: true }, due: { count: 12, more: false }, lag_ms: 40 },
      requests: { running: { count: 3, more: false }, oldest_at: EXAMPLE.at, to_recover: 0 },
      statistics: { due: { count: 2, more: false }, lag_ms: 0 },
      database: { version: '18.4', size_bytes: 9_893_567, round_trip_ms: 2 },
    },
  ),
  NodeState: answer('One gateway.', {
    id: Type.String({ format: 'uuid', description: 'Its id, new at every start.' }),
    host: text('The name of its machine or container.'),
    started_at: time('When it began.'),
    lease_until: time('Until when it counts as alive without another sign of life.'),
    alive: flag('Whether it counts as alive.'),
  }),
  BoundedCount: answer('A count that ends at a thousand.', {
    count: count('How many there are, up to 1000.'),
    more: flag('Whether there are more.'),
  }),
};

function queue(members: Record<string, TSchema>): TSchema {
  return answer('What is to be done.', members);
}
