import type { Client } from 'pg';
import { formatId } from '../../src/kernel/ids.ts';
import { base32, isoText, middle } from './expressions.ts';
import type { Schedule } from './schedule.ts';

/** A channel that the history is sent from, with its account. */
export interface Owner {
  account_id: string;
  channel_id: string;
  key_id: string;
  mode: 'live' | 'test';
  phone_number: string;
  phone_number_id: string;
  business_account_id: string;
  /** The number of the last event that the owner's log has already. */
  last: number;
}

/** After so many blocks the order of their owners begins again. */
const PATTERN = 64;

/**
 * Writes down who owns each block and how its ids begin and end, and everything about each message and report of a block that is the same
 * in every block. All other tables are filled from these.
 */
export async function writeBlocks(client: Client, schedule: Schedule, owners: readonly Owner[]): Promise<void> {
  const { block, blocks, startMs, everyMs } = schedule;
  await client.query(TABLES);
  await client.query(PATTERN_INSERT, [JSON.stringify(patternOf(owners))]);
  await client.query(BLOCK_INSERT, [startMs, everyMs, blocks, block.steps.length, PATTERN]);
  await client.query(KIND_INSERT, [JSON.stringify(block.kinds)]);
  await client.query(STEP_INSERT, [JSON.stringify(block.steps)]);
  await client.query(REPORT_INSERT);
  await client.query(REQUEST_INSERT);
  await client.query('analyze fill.block');
}

/**
 * The owners in the order of their blocks. The first owner has a quarter of all blocks, as a large customer would, and the last ones have
 * very few.
 */
function patternOf(owners: readonly Owner[]) {
  // Multiples of the golden section are spread evenly, and neighbours lie far apart.
  const turns = Array.from({ length: PATTERN }, (_, place) =>
    Math.floor(owners.length * ((place * 0.618_033_988_75) % 1) ** 2),
  );
  const count = (some: readonly number[], turn: number) => some.filter((other) => other === turn).length;
  return turns.map((turn, place) => {
    const owner = owners[turn];
    if (owner === undefined) throw new RangeError('A history needs an owner');
    const [before, each] = [count(turns.slice(0, place), turn), count(turns, turn)];
    return { ...owner, place, before, each, channel_text: formatId('chn', owner.channel_id) };
  });
}

/**
 * An id is a UUIDv7 in three parts: the block's time, what distinguishes the rows of a block, and the block's number. The length of each
 * part is also a whole number of digits in base 32. So the form that callers see is put together from three parts likewise.
 */
const TABLES = `
  create schema fill;
  create table fill.pattern (place integer, before integer, each integer, account_id uuid, channel_id uuid, key_id uuid,
    mode mode, phone_number text, phone_number_id text, business_account_id text, channel_text text, last bigint);
  create table fill.block (b bigint primary key, ms bigint, at timestamptz, at_text text, last bigint, head text, tail text,
    head_text text, tail_text text, account_id uuid, channel_id uuid, key_id uuid, mode mode, phone_number text,
    phone_number_id text, business_account_id text, channel_text text);
  create table fill.kind (k integer, r integer, mid text, mid_text text, r_mid text, r_mid_text text, status text,
    outcome text, error jsonb, to_delivery_ms integer, updated interval, pricing jsonb);
  create table fill.step (e integer, k integer, status text, error jsonb, delay_ms bigint, mid text, mid_text text);
  create table fill.report as select s.*, r, k.mid as message_mid, k.mid_text as message_mid_text, r_mid_text
    from fill.step s join fill.kind k using (k);
  create table fill.request (r integer, mid text, message_mids text[])`;

const PATTERN_INSERT = `
  insert into fill.pattern select t.* from jsonb_populate_recordset(null::fill.pattern, $1) as t`;

/** `last` is the number of the owner's last event before this block. */
const BLOCK_INSERT = `
  insert into fill.block
  select b, ms, at, ${isoText('at')}, p.last + (b / $5 * p.each + p.before) * $4::integer, head, tail,
    '01' || ${base32(`(ms & ((1::bigint << 40) - 1))`, 8)}, ${base32('b', 12)},
    account_id, channel_id, key_id, mode, phone_number, phone_number_id, business_account_id, channel_text
  from generate_series(0, $3::bigint - 1) as b
  join fill.pattern p on p.place = b % $5::integer
  cross join lateral (select $1::bigint + (b * $2::float8)::bigint as ms) m
  cross join lateral (select to_timestamp(ms / 1000.0) as at, lpad(to_hex(ms), 12, '0') as head, lpad(to_hex(b), 15, '0') as tail) i
  order by b`;

const KIND_INSERT = `
  insert into fill.kind
  select place, request, ${middle('place')}, ${middle('request + 2048')}, status, outcome, nullif(error, 'null'),
    "toDeliveryMs", "updatedMs" * interval '1 millisecond',
    case when "toDeliveryMs" is not null then '{"billable": true, "category": "utility", "pricing_model": "PMP"}'::jsonb end
  from jsonb_to_recordset($1) as t(place integer, request integer, status text, outcome text, error jsonb,
    "toDeliveryMs" integer, "updatedMs" integer)`;

const STEP_INSERT = `
  insert into fill.step
  select place, message, status, nullif(error, 'null'), "delayMs", ${middle('place + 1024')}
  from jsonb_to_recordset($1) as t(place integer, message integer, status text, error jsonb, "delayMs" bigint)
  order by place`;

const REPORT_INSERT = `
  insert into fill.report select s.*, r, k.mid, k.mid_text, r_mid_text from fill.step s join fill.kind k using (k) order by e`;

const REQUEST_INSERT = `
  insert into fill.request select r, r_mid, array_agg(mid order by k) from fill.kind where r is not null group by r, r_mid`;
