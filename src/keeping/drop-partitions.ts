import { firstIdOfMs } from '../kernel/ids.ts';
import type { KeepLimits } from '../kernel/keep.ts';
import type { Transaction } from '../store/database.ts';
import { limitLockWaits } from '../store/lock-timeout.ts';
import { PARTED_TABLES, type PartedTable } from '../store/parted-tables.ts';
import {
  dropNotifications,
  dropPartition,
  holdsEvents,
  isAnyRunning,
  listPartitions,
  type Partition,
  sizeLeftOver,
} from './partition-store.ts';

/** Nearly every notification is applied within seconds. What took longer than this is found by the index notification_late. */
const APPLIED_WITHIN_MS = 86_400_000;
/** What outlives its week is copied while the table is locked, so it must be little. */
const LEFT_OVER_ROWS_MAX = 1_000;
const LEFT_OVER_BYTES_MAX = 16 << 20;

/**
 * Drops the first week that is past its time as a whole, if there is one, in this transaction. False: there is none.
 * Throws if the locks are not to be had at once. `detach ... concurrently` would need no such locks, but PostgreSQL refuses
 * it for a table with a default partition.
 */
export async function dropNextPartition(tx: Transaction, limits: KeepLimits): Promise<boolean> {
  await limitLockWaits(tx);
  for (const parent of PARTED_TABLES)
    for (const partition of await listPartitions(tx, parent))
      if (await dropIfPast(tx, parent, partition, limits)) return true;
  return false;
}

async function dropIfPast(
  tx: Transaction,
  parent: PartedTable,
  { name, untilMs }: Partition,
  limits: KeepLimits,
): Promise<boolean> {
  switch (parent) {
    case 'timeline':
    case 'message':
    case 'request':
      // A request's messages may be younger than the request, so while it runs its own week and all later ones stay.
      if (untilMs > limits.messagesFromMs || (await isAnyRunning(tx, firstIdOfMs(untilMs)))) return false;
      break;
    case 'event':
      if (untilMs > limits.eventsFromMs || (await holdsEvents(tx, name))) return false;
      break;
    case 'attempt':
      if (untilMs > limits.eventsFromMs) return false;
      break;
    case 'notification':
      return dropNotificationsIfPast(tx, { name, untilMs }, limits);
  }
  await dropPartition(tx, name);
  return true;
}

/** If too much is left over, the week stays, and what is past its time is deleted from it row by row. */
async function dropNotificationsIfPast(
  tx: Transaction,
  { name, untilMs }: Pick<Partition, 'name' | 'untilMs'>,
  limits: KeepLimits,
): Promise<boolean> {
  if (untilMs > notificationsUntilMs(limits)) return false;
  const values: [Date, string] = [new Date(limits.appliedFromMs), firstIdOfMs(limits.setAsideFromMs)];
  const { rows, bytes } = await sizeLeftOver(tx, name, values, LEFT_OVER_ROWS_MAX + 1);
  if (rows > LEFT_OVER_ROWS_MAX || bytes > LEFT_OVER_BYTES_MAX) return false;
  await dropNotifications(tx, name, values);
  return true;
}

/** The time by which a week of notifications must have ended to be dropped. */
export function notificationsUntilMs({ appliedFromMs }: KeepLimits): number {
  return appliedFromMs - APPLIED_WITHIN_MS;
}
