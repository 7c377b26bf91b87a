import type { Bounded, PlatformState } from '../api/platform.ts';
import { spanOf } from '../parts/times.ts';

export interface Tile {
  label: string;
  value: string;
  meaning: string;
  tone: 'good' | 'warn';
  href?: string;
}

/** Notifications are applied within a second. If they are later than this, the nodes do not keep up. */
const NOTIFICATION_LAG_MS = 5_000;
/** Every endpoint has a place of its own, so a delivery that is due is begun at once. */
const DELIVERY_LAG_MS = 30_000;
/** Messages are counted again within seconds. */
const STATISTICS_LAG_MS = 60_000;
const ROUND_TRIP_MS = 50;

/** The state as an operator asks for it: is it well, and if not, what is wrong? */
export function describeState(state: PlatformState): Tile[] {
  const { nodes, notifications, deliveries, requests, statistics, database } = state;
  const alive = nodes.filter((node) => node.alive).length;
  const left = requests.to_recover;
  return [
    tile(
      'Nodes',
      `${alive} of ${nodes.length}`,
      alive > 0 && alive === nodes.length,
      'All are alive.',
      goneWords(nodes.length - alive, alive),
    ),
    lagTile('Notifications', notifications.waiting, notifications.lag_ms, NOTIFICATION_LAG_MS),
    {
      ...tile(
        'Set aside',
        countOf(notifications.set_aside),
        notifications.set_aside.count === 0,
        'Nothing was set aside.',
        'They could not be applied.',
      ),
      ...(notifications.set_aside.count > 0 && { href: '#/notifications' }),
    },
    lagTile(
      'Deliveries',
      deliveries.due,
      deliveries.lag_ms,
      DELIVERY_LAG_MS,
      `${countOf(deliveries.waiting)} in all wait for their time.`,
    ),
    tile(
      'Sends under way',
      countOf(requests.running),
      left === 0,
      'Nothing is left by a node that is gone.',
      `${left === 1 ? '1 was' : `${left.toLocaleString()} were`} left by a node that is gone. ${alive === 0 ? 'That waits until one is alive' : 'That is settled soon'}.`,
    ),
    lagTile('Statistics', statistics.due, statistics.lag_ms, STATISTICS_LAG_MS),
    tile(
      'Database',
      `${database.round_trip_ms} ms`,
      database.round_trip_ms <= ROUND_TRIP_MS,
      `PostgreSQL ${database.version}, ${sizeOf(database.size_bytes)}.`,
      `It answers slowly. PostgreSQL ${database.version}, ${sizeOf(database.size_bytes)}.`,
    ),
  ];
}

function goneWords(gone: number, alive: number): string {
  if (alive === 0) return 'None is known to be alive: what waits goes on when one is.';
  return gone === 1
    ? 'One is gone: another settles what it left.'
    : `${gone} are gone: another settles what they left.`;
}

function lagTile(label: string, due: Bounded, lagMs: number, lagMsMax: number, more = ''): Tile {
  const lag = lagMs === 0 ? 'Nothing is late.' : `The oldest is ${spanOf(lagMs)} behind.`;
  return tile(label, `${countOf(due)} due`, lagMs <= lagMsMax, `${lag} ${more}`.trim(), `${lag} ${more}`.trim());
}

function tile(label: string, value: string, isWell: boolean, well: string, unwell: string): Tile {
  return { label, value, meaning: isWell ? well : unwell, tone: isWell ? 'good' : 'warn' };
}

function countOf({ count, more }: Bounded): string {
  return `${count.toLocaleString()}${more ? ' or more' : ''}`;
}

function sizeOf(bytes: number): string {
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
