import type { Database } from '../../src/store/database.ts';
import { PARTED_TABLES } from '../../src/store/parted-tables.ts';

const AGED = `
  create or replace function aged(id uuid, days integer) returns uuid language sql immutable as $$
    select (lpad(to_hex(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint - days * 86400000::bigint), 12, '0')
      || substr(replace(id::text, '-', ''), 13))::uuid
  $$`;

/** Makes the ids and the times older of everything that is kept for a time. */
const MOVES = [
  `update timeline set message_id = aged(message_id, $1), id = aged(id, $1), received_at = received_at - make_interval(days => $1)`,
  `update message set id = aged(id, $1), request_id = aged(request_id, $1), reply_to_id = aged(reply_to_id, $1)`,
  `update request set id = aged(id, $1), message_ids = array(select aged(id, $1) from unnest(message_ids) as id)`,
  `update attempt set id = aged(id, $1), event_id = aged(event_id, $1), at = at - make_interval(days => $1)`,
  `update delivery set event_id = aged(event_id, $1)`,
  `update event set id = aged(id, $1), at = at - make_interval(days => $1)`,
  `update notification set id = aged(id, $1), applied_at = applied_at - make_interval(days => $1)`,
  `update idempotency set request_id = aged(request_id, $1), created_at = created_at - make_interval(days => $1),
     expires_at = expires_at - make_interval(days => $1)`,
  `update inbound_id set message_id = aged(message_id, $1), created_at = created_at - make_interval(days => $1)`,
  `update applied_news set applied_at = applied_at - make_interval(days => $1)`,
  `update customer_window set last_at = last_at - make_interval(days => $1)`,
];

/** Makes everything in the store so many days older, and moves it to the weeks where it would then be. */
export async function ageEverything(database: Database, days: number): Promise<void> {
  await database.query(AGED);
  for (const parent of PARTED_TABLES)
    await database.query(
      `select partitions_make($1, since, since + interval '8 days') from (select now() - make_interval(days => $2) - interval '1 day') as t(since)`,
      [parent, days],
    );
  for (const move of MOVES) await database.query(move, [days]);
}

/** The new id of a row that `ageEverything` has moved. */
export async function agedId(database: Database, uuid: string, days: number): Promise<string> {
  const [row] = await database.query<{ id: string }>('select aged($1::uuid, $2::integer) as id', [uuid, days]);
  if (row === undefined) throw new Error('The server gave no id');
  return row.id;
}
