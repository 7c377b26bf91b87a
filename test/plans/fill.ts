import { loadMessages } from '../../bench/fill/load-messages.ts';
import { insertKey } from '../../src/accounts/key-store.ts';
import { insertAccount } from '../../src/accounts/store.ts';
import { insertChannel } from '../../src/channels/store.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Database } from '../../src/store/database.ts';
import type { TestDatabase } from '../support/database.ts';

const SENDING_ACCOUNTS = 8;
/** Enough that each week has hundreds of pages. So a plan that reads too many of them has a high cost. */
const MESSAGES = 40_000;

const WEEK_MS = 7 * 86_400_000;
/** The first Monday after 1970 began, in UTC. */
const MONDAY_MS = 4 * 86_400_000;

/**
 * Makes the partitions for last week before they are filled, and those for two weeks ahead, whatever day it is: a new database has one week
 * ahead, and two on a Sunday.
 */
export async function makeWeeks(database: Database): Promise<void> {
  await database.query(WEEKS_MAKE);
}

const WEEKS_MAKE = `
  select partitions_make(partrelid::regclass::text, now() - interval '168 hours', now() + interval '336 hours')
  from pg_partitioned_table`;

/**
 * Everything was made before the middle of last week. So this week and the next are empty, whatever day it is, as each week is at its
 * beginning.
 */
function endOfHistory(): number {
  const thisMondayMs = Math.floor((Date.now() - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS;
  return thisMondayMs - WEEK_MS / 2;
}

/**
 * Fills every table that grows, and gathers the statistics that PostgreSQL would gather by itself: for each week but not for the whole
 * table, and not for a week that is still empty.
 */
export async function fillTables({ database, connection }: TestDatabase): Promise<void> {
  await database.query(UUIDV7_MAKE);
  for (let number = 1; number <= SENDING_ACCOUNTS; number++) await makeAccount(database, number);
  await loadMessages({ connection, messages: MESSAGES, nowMs: endOfHistory(), onProgress: () => undefined });
  for (const sql of [PLATFORM, ...WORK]) await database.query(sql);
  const tables = await database.query<{ name: string }>(TABLES);
  await database.query(`vacuum (analyze) ${tables.map(({ name }) => name).join(', ')}`);
}

/**
 * Empties the tables through which rows only pass, and vacuums them, as PostgreSQL does by itself. A table that others use meanwhile stays
 * as large as it was. Until the next statistics the planner believes that it is empty, whatever is put into it.
 */
export async function drainTables(database: Database): Promise<void> {
  for (const table of PASSING) await database.query(`delete from ${table}`);
  await database.query(`vacuum (analyze, truncate off) ${PASSING.join(', ')}`);
}

/** The statistics that are due are not among them: they are a few minutes of each account, and may be read whole. */
const PASSING = [
  ...['delivery', 'notification_pack', 'idempotency', 'inbound_id', 'erased_inbound_id', 'customer_window'],
  ...['message_statistics_mark', 'applied_news', 'erasure'],
];

async function makeAccount(database: Database, number: number): Promise<void> {
  const accountId = newId();
  await insertAccount(database, accountId, `Account ${number}`);
  const key = { id: newId(), name: 'Key', sha256: Buffer.alloc(32, number), scopes: null, expiresAt: null };
  await insertKey(database, { accountId, mode: 'live', ...key });
  await insertChannel(database, {
    account_id: accountId,
    id: newId(),
    mode: 'live',
    phone_number_id: `10${number}`,
    business_account_id: `20${number}`,
    phone_number: `+155590010${String(number).padStart(2, '0')}`,
    name: null,
    access_token_sealed: Buffer.from('sealed'),
    is_default: true,
    quality: null,
    throughput_per_second: null,
    messaging_limit: null,
  });
}

/** Thousands of customers who do nothing now. */
const PLATFORM = `
  with made as (
    insert into account (id, name) select uuidv7(), 'Account ' || n from generate_series(1, 3000) as n returning id
  ), keys as (
    insert into api_key (account_id, id, name, mode, sha256)
    select id, uuidv7(), 'Key', 'live', sha256(id::text::bytea) from made
  ), numbers as (
    insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed)
    select id, uuidv7(), 'live', left(md5(id::text), 20), left(md5(id::text), 18), '+15559002000', 'sealed' from made
  ), templates as (
    insert into template (account_id, id, mode, business_account_id, provider_template_id, name, language, status, category,
      parameter_format, components)
    select id, uuidv7(), 'live', left(md5(id::text), 18), n::text, 'template_' || n, 'en_US', 'approved', 'utility',
      'positional', '[]' from made, generate_series(1, 5) as n
  ), known as (
    insert into template_sync (account_id, mode, business_account_id, synced_at)
    select id, 'live', left(md5(id::text), 18), now() from made
  ), endpoints as (
    insert into endpoint (account_id, id, mode, url, secret_sealed)
    select id, uuidv7(), 'live', 'https://example.com/', 'sealed' from made
  ), logs as (
    insert into event_sequence (account_id, mode, last) select id, 'live', 0 from made
  ), turns as (
    insert into channel_pace (account_id, channel_id, next_at) select id, id, now() from made
  ), words as (
    insert into marketing_preference (account_id, business_account_id, person, other, stopped, at)
    select id, left(md5(id::text), 18), '+1555' || n, 'GB.' || n, true, now() from made, generate_series(1, 5) as n
  ), test_words as (
    insert into test_marketing_preference (account_id, business_account_id, person, other, stopped, at)
    select id, left(md5(id::text), 18), '+1555' || n, 'GB.' || n, true, now() from made, generate_series(1, 5) as n
  )
  insert into audit (id, account_id, actor, action, target) select uuidv7(), id, 'platform', 'account.created', id from made`;

/** Version 18 has such a function, which then comes first. */
const UUIDV7_MAKE = `
  create function uuidv7(shift interval default '0') returns uuid language sql as $$
    select encode(overlay(uuid_send(gen_random_uuid())
      placing substring(int8send((extract(epoch from clock_timestamp() + shift) * 1000)::bigint) from 3) from 1 for 6), 'hex')::uuid
  $$`;

/** The last days of the history, of which there are as many whatever day it is. */
const LATELY = `(select max(at) from event) - interval '8 days'`;

/** The work that is under way now, for the accounts that send, and the attempts of their last events. */
const WORK = [
  `insert into endpoint (account_id, id, mode, url, secret_sealed)
   select account_id, uuidv7(), mode, 'https://example.com/', 'sealed' from event_sequence, generate_series(1, 2) where last > 0`,
  `insert into delivery (account_id, endpoint_id, event_id)
   select v.account_id, e.id, v.id from event v join endpoint e using (account_id, mode)
   where v.at > ${LATELY}`,
  `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, duration_ms)
   select v.account_id, uuidv7(v.at - now()), e.id, v.id, v.type, 1, v.at,
     case when v.sequence % 50 = 0 then 'failed' else 'succeeded' end, 200, 20
   from event v join endpoint e using (account_id, mode) where v.at > ${LATELY}`,
  `insert into request (account_id, id, mode, channel_id, key_id, node_id, type, message_ids, intent)
   select account_id, uuidv7(interval '-168 hours'), mode, account_id, account_id, account_id, 'text', '{}', '[]'
   from event_sequence, generate_series(1, 4) where last > 0`,
  `insert into notification (id, origin, body, state)
   select uuidv7(interval '-168 hours'), 'live', '{}', (array['waiting', 'set_aside'])[1 + n % 2]::notification_state from generate_series(1, 100) as n`,
  `insert into notification_pack (id, ids, origins, ends, bodies)
   select uuidv7(), array_agg(uuidv7()), array_agg('live'::mode), array_agg(m * 1000), decode(repeat('00', 30000), 'hex')
   from generate_series(1, 20) as n, generate_series(1, 30) as m group by n`,
  // As if now were the end of the history.
  `update inbound_id set created_at = now()`,
  'delete from idempotency',
  `insert into idempotency (account_id, mode, key, request_id, body_sha256, expires_at)
   select account_id, mode, 'key-' || n, account_id, sha256('x'), now() + interval '1 hour'
   from event_sequence, generate_series(1, 2000) as n where last > 0`,
  `insert into message_statistics_due (account_id, step, bucket_at, due_at)
   select account_id, 'minute', now() - n * interval '1 minute', now() from event_sequence, generate_series(1, 100) as n where last > 0`,
  `insert into message_statistics_mark (account_id, minute_at) select account_id, now() from event_sequence where last > 0`,
  `insert into erasure (account_id, id, persons, mark, due_at) select account_id, uuidv7(), '{+1555}', 'x', now() from event_sequence where last > 0`,
  `insert into node (id, host, pid, lease_until) values (uuidv7(), 'host', 1, now())`,
];

/** The tables that hold rows. */
const TABLES = `
  select relname as name from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0 order by relname`;
