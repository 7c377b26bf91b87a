import type { Page } from '../http/page.ts';
import { firstIdOfMs } from '../kernel/ids.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import type { Mode } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import { hasReason } from './reason.ts';

export interface ClaimedNotification {
  id: string;
  origin: Mode;
  body: Buffer;
  /** The places of the items that are still to be applied; null: all. */
  items_left: number[] | null;
  attempts: number;
}

/** One that waits in a row of its own. */
export interface WaitingNotification extends ClaimedNotification {
  /** An item of it failed, or waited for a lock, when it was last applied, and spoiled all that were applied with it. */
  spoiling: boolean;
}

/**
 * Claims what is due, for this transaction: other nodes skip it and take other rows. Bounded by bytes too, because a
 * body may have 4 MiB; the first one is always taken.
 */
const NOTIFICATION_CLAIM = `
  with due as materialized (
    select id, origin, body, items_left, attempts, error, next_at
    from notification where state = 'waiting' and next_at <= now()
    order by next_at limit $1 for update skip locked
  ), sized as (
    select *, sum(octet_length(body)) over (order by next_at, id) - octet_length(body) as bytes_before from due
  )
  select id, origin, body, items_left, attempts, error from sized where bytes_before < $2 order by id`;

export async function claimNotifications(
  tx: Queryable,
  rowsMax: number,
  bytesMax: number,
): Promise<WaitingNotification[]> {
  const rows = await tx.query<ClaimedNotification & { error: string | null }>(NOTIFICATION_CLAIM, [rowsMax, bytesMax]);
  return rows.map(({ error, ...row }) => ({
    ...row,
    spoiling: hasReason(error, 'failed') || hasReason(error, 'locked'),
  }));
}

/**
 * Written so that the index of what waits cannot serve it: each look-up would read that index through
 * (docs/decisions/0020-plans-that-stay-right.md).
 */
const STILL_WAITING = `state not in ('applied', 'set_aside')`;

const NOTIFICATION_CLAIM_ONE = `
  select id, origin, body, items_left, attempts from notification
  where id = $1 and ${STILL_WAITING} for update skip locked`;

export async function claimNotification(tx: Queryable, id: string): Promise<ClaimedNotification | undefined> {
  return (await tx.query<ClaimedNotification>(NOTIFICATION_CLAIM_ONE, [id]))[0];
}

const DATABASE_MS = 'select floor(extract(epoch from now()) * 1000)::bigint as now_ms';

export async function readDatabaseMs(store: Queryable): Promise<number> {
  const [row] = await store.query<{ now_ms: number }>(DATABASE_MS);
  if (row === undefined) throw new Error('A select without a table gave no row');
  return row.now_ms;
}

export type NotificationState = 'waiting' | 'applied' | 'set_aside';

/** What a round has made of a notification. */
export interface NotificationResult {
  id: string;
  state: NotificationState;
  kinds: string[];
  itemsLeft: number[];
  error: string | null;
  /** For `waiting`: when to look again. */
  retryInSeconds: number;
}

const NOTIFICATION_FINISH = `
  update notification n set
    state = r.state,
    kinds = array(select jsonb_array_elements_text(r.kinds)),
    items_left = string_to_array(nullif(r.items_left, ''), ',')::integer[],
    error = r.error,
    attempts = n.attempts + 1,
    next_at = now() + make_interval(secs => r.retry_in_seconds),
    applied_at = case when r.state = 'applied' then now() end
  from unnest($1::uuid[], $2::notification_state[], $3::jsonb[], $4::text[], $5::text[], $6::integer[])
    as r(id, state, kinds, items_left, error, retry_in_seconds)
  where n.id = r.id`;

export async function finishNotifications(tx: Queryable, results: readonly NotificationResult[]): Promise<void> {
  await tx.query(NOTIFICATION_FINISH, [results.map(({ id }) => id), ...columnsOf(results)]);
}

/** What a statement takes of results: state, kinds, items left, error and seconds until the next look, a column each. */
export function columnsOf(results: readonly NotificationResult[]): unknown[] {
  return [
    results.map(({ state }) => state),
    // Arrays in arrays must be of one length in PostgreSQL, so these two travel as texts.
    results.map(({ kinds }) => JSON.stringify(kinds)),
    results.map(({ itemsLeft }) => itemsLeft.join(',')),
    results.map(({ error }) => error),
    results.map(({ retryInSeconds }) => retryInSeconds),
  ];
}

const NOTIFICATION_SET_ASIDE = `
  update notification set state = 'set_aside', error = $2, attempts = attempts + 1 where id = $1 and ${STILL_WAITING}`;

/** Sets a whole notification aside because nothing of it could be applied. Which of its items are left stays as it was. */
export async function setNotificationAside(store: Queryable, id: string, error: string | null): Promise<void> {
  await store.query(NOTIFICATION_SET_ASIDE, [id, error]);
}

export interface NotificationView {
  id: string;
  state: NotificationState;
  kinds: string[] | null;
  error: string | null;
  attempts: number;
}

const VIEW = 'id, state, kinds, error, attempts';
/** Each state has a text of its own, so that the few that are not applied are found by their index. */
const notificationList = (which: string) => `
  select ${VIEW} from ${which}
  where ($1::uuid is null or id < $1)
    and (state <> 'applied' or applied_at >= $3) and (state <> 'set_aside' or id >= $4)
  order by id desc limit $2`;
const NOTIFICATION_LIST = notificationList('notification');
/** `offset 0` has what waits gathered first, which is little. Otherwise a young week is read in the order of the page, with all that is applied. */
const NOTIFICATION_LISTS: Record<NotificationState, string> = {
  waiting: notificationList("(select * from notification where state = 'waiting' offset 0) as one"),
  applied: notificationList("(select * from notification where state = 'applied') as one"),
  set_aside: notificationList("(select * from notification where state = 'set_aside') as one"),
};

/** Which notifications an operator wants to see. */
export interface NotificationWish extends Page {
  /** null: in any state. */
  state: NotificationState | null;
}

/** A page for the operator, newest first; never the body, and nothing that is past its time. */
export function listNotifications(
  store: Queryable,
  { state, before, limit }: NotificationWish,
  { appliedFromMs, setAsideFromMs }: KeepLimits,
): Promise<NotificationView[]> {
  const text = state === null ? NOTIFICATION_LIST : NOTIFICATION_LISTS[state];
  return store.query<NotificationView>(text, [before, limit, new Date(appliedFromMs), firstIdOfMs(setAsideFromMs)]);
}

const NOTIFICATION_REPROCESS = `
  update notification set state = 'waiting', next_at = now()
  where id = $1 and (state = 'waiting' or (state = 'set_aside' and id >= $2)) returning ${VIEW}`;

/** Makes it due again. What is applied already stays as it is, because a second effect is never wanted. */
export async function reprocessNotification(
  store: Queryable,
  id: string,
  { setAsideFromMs }: Pick<KeepLimits, 'setAsideFromMs'>,
): Promise<NotificationView | undefined> {
  return (await store.query<NotificationView>(NOTIFICATION_REPROCESS, [id, firstIdOfMs(setAsideFromMs)]))[0];
}

/**
 * None is looked at more seldom than once a day (`apply.ts`). One that waits for longer was put off before the database's clock was set back. What
 * is locked is left to the next sweep.
 */
const NOTIFICATION_HASTEN = `
  update notification set next_at = now()
  where ${STILL_WAITING} and id = any(array(
    select id from notification where state = 'waiting' and next_at > now() + interval '1 day' limit 5000 for update skip locked))
  returning 1 as hastened`;

/** Makes some due that wait for a time of a clock that was wrong; returns how many. */
export async function hastenNotifications(store: Queryable): Promise<number> {
  return (await store.query(NOTIFICATION_HASTEN)).length;
}

const NOTIFICATION_FIND = `
  select ${VIEW} from notification
  where id = $1 and (state <> 'applied' or applied_at >= $2) and (state <> 'set_aside' or id >= $3)`;

export async function findNotification(
  store: Queryable,
  id: string,
  { appliedFromMs, setAsideFromMs }: KeepLimits,
): Promise<NotificationView | undefined> {
  const values = [id, new Date(appliedFromMs), firstIdOfMs(setAsideFromMs)];
  return (await store.query<NotificationView>(NOTIFICATION_FIND, values))[0];
}
