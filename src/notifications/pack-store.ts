import { newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import { LOCKED_RETRY_SECONDS_MAX } from './apply.ts';
import { hasReasonSql } from './reason.ts';
import { type ClaimedNotification, columnsOf, type NotificationResult, type NotificationView } from './store.ts';

/** A verified body, as it came. */
export interface RawNotification {
  id: string;
  origin: Mode;
  body: Buffer;
  /** Whether its number has much waiting; then what others bring goes first. */
  busy: boolean;
}

const packInsert = (...packs: string[]) => `
  insert into notification_pack (id, busy, ids, origins, ends, bodies) values ${packs.join(', ')}`;
const PACK_INSERT = packInsert('($1, $2, $3, $4, $5, $6)');
const TWO_PACKS_INSERT = packInsert('($1, $2, $3, $4, $5, $6)', '($7, $8, $9, $10, $11, $12)');

/**
 * Writes all of them as one row, or as two if some are of busy numbers and some are not: a row for each would cost the
 * database more than everything else in an answer.
 */
export async function insertPacks(store: Queryable, raw: readonly RawNotification[]): Promise<void> {
  const quiet = raw.filter(({ busy }) => !busy);
  const busy = raw.filter((one) => one.busy);
  if (quiet.length > 0 && busy.length > 0) await store.query(TWO_PACKS_INSERT, [...packOf(quiet), ...packOf(busy)]);
  else await store.query(PACK_INSERT, packOf(raw));
}

function packOf(raw: readonly RawNotification[]): unknown[] {
  const bodies = raw.map(({ body }) => body);
  let end = 0;
  const ends = bodies.map((body) => {
    end += body.length;
    return end;
  });
  return [
    newId(),
    raw.some(({ busy }) => busy),
    raw.map(({ id }) => id),
    raw.map(({ origin }) => origin),
    ends,
    Buffer.concat(bodies, end),
  ];
}

/** One notification of a claimed pack. */
export interface PackedNotification extends ClaimedNotification {
  packId: string;
}

interface PackRow {
  id: string;
  ids: string[];
  origins: Mode[];
  ends: number[];
  bodies: Buffer;
}

const DUE = 'select id, busy, ids, origins, ends, bodies from notification_pack';
const LOCKED = 'for update skip locked';

/**
 * Claims packs, for this transaction: other nodes skip them and take others. Bounded by their notifications and their bytes
 * too; the first one is always taken.
 */
const packClaim = (due: string, order: string) => `
  with ${due}, sized as (
    select *, row_number() over in_order as place, sum(cardinality(ids)) over in_order as rows_so_far,
      sum(octet_length(bodies)) over in_order as bytes_so_far
    from due window in_order as (order by ${order})
  )
  select id, ids, origins::text[] as origins, ends, bodies from sized
  where place = 1 or (rows_so_far <= $2 and bytes_so_far <= $3) order by ${order}`;

/** Uses an index of the quiet packs alone. An index of both kinds would be used for look-ups by id too, and up to version 17 read whole by them. */
const QUIET_FIRST = `
  quiet as materialized (${DUE} where not busy order by id limit $1 ${LOCKED}),
  rest as materialized (${DUE} where busy order by id limit $1 - (select count(*) from quiet) ${LOCKED}),
  due as (select * from quiet union all select * from rest)`;

const PACK_CLAIMS = {
  quiet: packClaim(QUIET_FIRST, 'busy, id'),
  oldest: packClaim(`due as materialized (${DUE} order by id limit $1 ${LOCKED})`, 'id'),
};

/** Which packs come first: those without busy numbers, or the oldest ones of all. */
export type ClaimOrder = keyof typeof PACK_CLAIMS;

export interface PackLimits {
  packsMax: number;
  rowsMax: number;
  bytesMax: number;
}

/** Finds a locked pack too: another node locks more packs than it takes, and may leave this one. */
const PACK_OTHER = 'select id from notification_pack where id <> all($1::uuid[]) order by id limit 1';

/** The notifications of the packs that it claims, each pack whole; and whether it left some. */
export async function claimPacked(
  tx: Queryable,
  order: ClaimOrder,
  { packsMax, rowsMax, bytesMax }: PackLimits,
): Promise<{ packed: PackedNotification[]; left: boolean }> {
  const packs = await tx.query<PackRow>(PACK_CLAIMS[order], [packsMax, rowsMax, bytesMax]);
  const others = await tx.query(PACK_OTHER, [packs.map(({ id }) => id)]);
  return { packed: packs.flatMap(open), left: others.length > 0 };
}

function open({ id: packId, ids, origins, ends, bodies }: PackRow): PackedNotification[] {
  return ids.map((id, index) => {
    const [origin, start, end] = [origins[index], index === 0 ? 0 : ends[index - 1], ends[index]];
    if (origin === undefined || start === undefined || end === undefined)
      throw new RangeError('A pack tells of each of its notifications whose it is and where it ends');
    return { packId, id, origin, body: bodies.subarray(start, end), items_left: null, attempts: 0 };
  });
}

/** The bodies are sent back to the database as they came: to have it cut each out of the pack again was a third of this statement's cost. */
const PACK_FINISH = `
  with gone as (delete from notification_pack where id = any($1::uuid[]))
  insert into notification (id, origin, body, state, kinds, items_left, error, attempts, next_at, applied_at)
  select r.id, r.origin, r.body, r.state, array(select jsonb_array_elements_text(r.kinds)),
    string_to_array(nullif(r.items_left, ''), ',')::integer[], r.error, 1,
    now() + make_interval(secs => r.retry_in_seconds), case when r.state = 'applied' then now() end
  from unnest($2::uuid[], $3::mode[], $4::bytea[], $5::notification_state[], $6::jsonb[],
    $7::text[], $8::text[], $9::integer[])
    as r(id, origin, body, state, kinds, items_left, error, retry_in_seconds)`;

/** Replaces claimed packs by a row for each of their notifications, with what has become of it. `results` are in the order of `packed`. */
export async function finishPacked(
  tx: Queryable,
  packed: readonly PackedNotification[],
  results: readonly NotificationResult[],
): Promise<void> {
  await tx.query(PACK_FINISH, [
    packIdsOf(packed),
    packed.map(({ id }) => id),
    packed.map(({ origin }) => origin),
    packed.map(({ body }) => body),
    ...columnsOf(results),
  ]);
}

/** If another node has taken a pack meanwhile, the pack is gone by the time its lock is free, and nothing is written for it. */
const UNPACK = `
  with pack as (
    select * from notification_pack where id = any($1::uuid[]) for update
  ), gone as (
    delete from notification_pack where id = any(array(select id from pack))
  )
  insert into notification (id, origin, body)
  select one.id, one.origin, substring(pack.bodies from one.start + 1 for one.until - one.start)
  from pack cross join lateral (
    select id, origin, until, lag(until, 1, 0) over (order by place) as start
    from unnest(pack.ids, pack.origins, pack.ends) with ordinality as u(id, origin, until, place)) one`;

/** Replaces packs by a row for each of their notifications, which waits: so each can be taken alone. */
export async function unpack(store: Queryable, packed: readonly PackedNotification[]): Promise<void> {
  await store.query(UNPACK, [packIdsOf(packed)]);
}

function packIdsOf(packed: readonly PackedNotification[]): string[] {
  return [...new Set(packed.map(({ packId }) => packId))];
}

const VIEW = `u.id, 'waiting' as state, null as kinds, null as error, 0 as attempts`;

/** Reads every pack, but not the bodies. It must, because nodes pack at the same time, and packs are not in the order of their contents. */
const PACKED_LIST = `
  select ${VIEW} from notification_pack p, unnest(p.ids) as u(id)
  where $1::uuid is null or u.id < $1 order by u.id desc limit $2`;

/** Those that were not looked at yet, newest first. */
export function listPacked(store: Queryable, before: string | null, limit: number): Promise<NotificationView[]> {
  return store.query<NotificationView>(PACKED_LIST, [before, limit]);
}

const PACKED_FIND = `select ${VIEW} from notification_pack p, unnest(p.ids) as u(id) where u.id = $1`;

/** One that was not looked at yet. */
export async function findPacked(store: Queryable, id: string): Promise<NotificationView | undefined> {
  return (await store.query<NotificationView>(PACKED_FIND, [id]))[0];
}

/** What was answered and is not applied yet. */
export interface Unapplied {
  packs: Set<string>;
  /** Whether notifications of a pack that was refused as a whole are still to be applied one by one, or wait for somebody's lock. */
  unpacked: boolean;
}

const UNAPPLIED = `
  select array(select id::text from notification_pack) as packs,
    exists(select from notification
      where state = 'waiting' and next_at <= now() + make_interval(secs => ${LOCKED_RETRY_SECONDS_MAX})
        and (attempts = 0 and next_at <= now() or ${hasReasonSql('locked')})) as unpacked`;

export async function findUnapplied(store: Queryable): Promise<Unapplied> {
  const [row] = await store.query<{ packs: string[]; unpacked: boolean }>(UNAPPLIED);
  if (row === undefined) throw new Error('A select without a table gave no row');
  return { packs: new Set(row.packs), unpacked: row.unpacked };
}
