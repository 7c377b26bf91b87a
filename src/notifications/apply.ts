import { idTimeMs } from '../kernel/ids.ts';
import type { DecodedNotification, NotificationItem, UndecodableItem } from '../provider/notification.ts';
import type { Transaction } from '../store/database.ts';
import { applyItems } from './apply-items.ts';
import type { ItemWork } from './collect-effects.ts';
import { type Leftover, writeReasons } from './reason.ts';
import type { ClaimedNotification, NotificationResult } from './store.ts';

/** A status may come before its message is known. The provider itself repeats a notification for this long. */
const WAIT_DAYS_MAX = 7;
const DAY_MS = 86_400_000;
/**
 * The age is told by two clocks: that of the node that received it and that of this one. So that a wrong one ends nothing at its first look,
 * it is looked at for a minute first, in which a message of ours is known.
 */
const LOOKS_MIN = 7;
/**
 * A status that waits is looked at after 1, 2, 4, ... seconds, at most a day apart. A message of ours is known before the
 * provider is, so what is not found in the first minutes hardly ever is; and where another program sends from the same
 * number, three statuses of each of its messages wait here.
 */
const RETRY_SECONDS_MAX = 86_400;
/** One that somebody's lock keeps from its effect is looked at more often: the lock may go at any moment. */
export const LOCKED_RETRY_SECONDS_MAX = 60;
/** How many kinds are shown of a notification with very many. */
const KINDS_MAX = 100;

export interface ApplyDeps {
  decode(rawBody: Buffer): DecodedNotification;
  nowMs(): number;
  /** Callers see no message from before this time any more, whether or not it is still stored; at this time of the database. */
  messagesFromMs(databaseMs: number): number;
}

/** How items are applied: all together, or one by one where one of them has spoiled the batch. */
export type ItemApplier = (
  tx: Transaction,
  works: readonly ItemWork[],
  messagesFromMs: (databaseMs: number) => number,
) => Promise<Map<number, Leftover>>;

/** What became of the notifications of a batch, in their order, and the kind of every item that was due in them. */
export interface AppliedBatch {
  results: readonly NotificationResult[];
  itemKinds: readonly NotificationItem['kind'][];
  /** What could not be read, for whoever has to find out why: neither a reason nor a pointer holds anything of the content. */
  unread: readonly UnreadItem[];
}

type UnreadItem = Pick<UndecodableItem, 'reason' | 'pointer'> & { notificationId: string };

/** Applies claimed notifications in the caller's transaction, which must also write down what became of each. */
export async function applyNotifications(
  tx: Transaction,
  deps: ApplyDeps,
  claimed: readonly ClaimedNotification[],
  apply: ItemApplier = applyItems,
): Promise<AppliedBatch> {
  const opened = claimed.map((notification) => open(deps, notification));
  const works = opened.flatMap(({ notification, due }) =>
    due.map(({ item }) => ({ notificationId: notification.id, origin: notification.origin, item })),
  );
  const left = works.length === 0 ? new Map<number, Leftover>() : await apply(tx, works, deps.messagesFromMs);
  let before = 0;
  const results = opened.map((one) => {
    const leftovers = one.due.flatMap(({ index }, place) => {
      const leftover = left.get(before + place);
      return leftover === undefined ? [] : [{ index, leftover }];
    });
    before += one.due.length;
    const missing = one.missing.map((index) => ({ index, leftover: 'undecodable' as const }));
    return resultOf(one, [...leftovers, ...missing], deps.nowMs());
  });
  return { results, itemKinds: works.map(({ item }) => item.kind), unread: works.flatMap(unreadOf) };
}

function unreadOf({ notificationId, item }: ItemWork): UnreadItem[] {
  return item.kind === 'undecodable' ? [{ notificationId, reason: item.reason, pointer: item.pointer }] : [];
}

interface Opened {
  notification: ClaimedNotification;
  /** False: the body is not JSON, so it has no items. */
  readable: boolean;
  kinds: string[];
  /** The items that are still to be applied, with their index in the body. */
  due: { index: number; item: NotificationItem }[];
  /** The places of what is still to be applied and is no item here: a later version, which has left it, reads more in the same body. */
  missing: number[];
}

function open(deps: ApplyDeps, notification: ClaimedNotification): Opened {
  const decoded = deps.decode(notification.body);
  const items = decoded.kind === 'items' ? decoded.items : [];
  const left = notification.items_left === null ? undefined : new Set(notification.items_left);
  return {
    notification,
    readable: decoded.kind === 'items',
    kinds: [...new Set(items.map(({ label }) => label))].slice(0, KINDS_MAX),
    due: items.map((item, index) => ({ index, item })).filter(({ index }) => left?.has(index) ?? true),
    missing: decoded.kind === 'items' ? [...(left ?? [])].filter((index) => index >= items.length) : [],
  };
}

function resultOf(
  { notification: { id, attempts }, readable, kinds, missing }: Opened,
  leftovers: readonly { index: number; leftover: Leftover }[],
  nowMs: number,
): NotificationResult {
  const isLocked = leftovers.some(({ leftover }) => leftover === 'locked');
  // What is missing waits too: a later version beside this one takes it at one of the next looks.
  const waits = isLocked || missing.length > 0 || leftovers.some(({ leftover }) => leftover === 'unknown_message');
  const leftMs = idTimeMs(id) + WAIT_DAYS_MAX * DAY_MS - nowMs;
  const isOver = leftMs < 0 && attempts + 1 >= LOOKS_MIN;
  const done = readable && leftovers.length === 0;
  return {
    id,
    state: done ? 'applied' : waits && !isOver ? 'waiting' : 'set_aside',
    kinds,
    itemsLeft: leftovers.map(({ index }) => index),
    error: writeReasons(readable ? leftovers.map(({ leftover }) => leftover) : ['not_json']),
    retryInSeconds: waits
      ? Math.min(nextLookSeconds(attempts, leftMs), isLocked ? LOCKED_RETRY_SECONDS_MAX : RETRY_SECONDS_MAX)
      : 0,
  };
}

/** The last look is when its time is over, and sets it aside. */
function nextLookSeconds(attempts: number, leftMs: number): number {
  const untilOver = leftMs < 0 ? RETRY_SECONDS_MAX : Math.floor(leftMs / 1_000) + 1;
  return Math.min(2 ** Math.min(attempts, 20), RETRY_SECONDS_MAX, untilOver);
}
