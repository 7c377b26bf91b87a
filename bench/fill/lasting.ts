import type { Client } from 'pg';
import type { Schedule } from './schedule.ts';

const DAY_MS = 86_400_000;
/** How long the provider's ids of inbound messages are kept, and how long idempotency keys are. */
const INBOUND_IDS_MS = 14 * DAY_MS;
const KEYS_MS = DAY_MS;

const INBOUND_IDS = `
  insert into inbound_id (account_id, channel_id, provider_message_id, message_id, created_at)
  select account_id, channel_id, provider_message_id, id, updated_at from message
  where direction = 'inbound' and id >= uuid_bound($1) and provider_message_id is not null`;

const WINDOWS = `
  insert into customer_window (account_id, channel_id, person, last_at)
  select account_id, channel_id, phone, max(outcome_at) from message where direction = 'inbound' and phone is not null
  group by account_id, channel_id, phone`;

const KEYS = `
  insert into idempotency (account_id, mode, key, request_id, body_sha256, answer, created_at, expires_at)
  select account_id, mode, idempotency_key, id, sha256(convert_to(idempotency_key, 'UTF8')),
    '{"request_id":"' || id || '","type":"text","accepted_count":1,"failed_count":0,"unknown_count":0,"results":[]}',
    completed_at, completed_at + interval '24 hours'
  from request where idempotency_key is not null and id >= uuid_bound($1)`;

/** Of events that have expired only the number is kept. */
const SEQUENCES = `
  insert into event_sequence (account_id, mode, last, expired)
  select account_id, mode, max(last) + $2::integer,
    coalesce(max(last) filter (where at < $1) + $2::integer, 0)
  from fill.block group by account_id, mode
  on conflict (account_id, mode) do update set last = excluded.last, expired = excluded.expired`;

/** Fills the tables that are not parted by week: those whose rows must be unique beyond a week, and what is known of people and logs. */
export async function writeLasting(client: Client, schedule: Schedule): Promise<number> {
  const { startMs, everyMs, blocks, block, eventsFromMs } = schedule;
  const endMs = startMs + everyMs * blocks;
  const written = [
    await client.query(INBOUND_IDS, [new Date(endMs - INBOUND_IDS_MS)]),
    await client.query(WINDOWS),
    await client.query(KEYS, [new Date(endMs - KEYS_MS)]),
    await client.query(SEQUENCES, [new Date(eventsFromMs), block.steps.length]),
  ];
  await client.query('vacuum (freeze, analyze) inbound_id, customer_window, idempotency, event_sequence');
  return written.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
}
