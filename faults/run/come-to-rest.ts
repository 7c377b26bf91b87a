import { setTimeout as wait } from 'node:timers/promises';
import type { World } from './world.ts';

/** A request in doubt is taken back again after 40 s, and a machine under load is slow. */
const REST_WITHIN_MS = 150_000;
const LOOK_EVERY_MS = 150;
/** How many looks in a row must find the same, with nothing left to do. */
const LOOKS_ALIKE = 3;

/** How much is left to do, and how much is stored. */
const REST = `
  select (select count(*) from request where completed_at is null)::integer as running,
    (select count(*) from message where status in ('pending', 'transmitting'))::integer as moving,
    ((select count(*) from notification where state = 'waiting' and attempts = 0)
      + (select count(*) from notification_pack))::integer as unread,
    (select count(*) from delivery)::integer as deliveries,
    (select count(*) from event)::integer as events,
    (select count(*) from timeline)::integer as reports`;

/** The rows that show why a message is still under way. */
const MOVING = `
  select m.id, m.status, m.mode, m.phone, m.outcome, r.id is not null as has_request, r.completed_at
  from message m left join request r on r.account_id = m.account_id and r.id = m.request_id
  where m.status in ('pending', 'transmitting') limit 10`;

/**
 * Lets time pass for what waits. Otherwise a delivery would be tried again only after 5 s or 5 min, or when the lease of a dead node ends,
 * and the status of a message that nobody knows yet only after some seconds.
 */
const PASS_TIME = [
  'update delivery set next_at = now(), claimed_until = null where next_at > now() or claimed_until is not null',
  `update notification set next_at = now() where state = 'waiting' and next_at > now()`,
];

interface Rest {
  running: number;
  moving: number;
  unread: number;
  deliveries: number;
  events: number;
  reports: number;
}

/** Waits until nothing is under way any more. If that does not happen, it throws what still is. */
export async function comeToRest(world: World): Promise<void> {
  const endMs = performance.now() + REST_WITHIN_MS;
  let [before, alike, looks] = ['', 0, 0];
  let rest: Rest | undefined;
  while (performance.now() < endMs) {
    if (world.deaths().length > 0) throw new Error('It does not come to rest without the gateway that has ended');
    rest = await look(world, looks++ % 8 === 4);
    const now = JSON.stringify(rest);
    alike = now === before && isDone(world, rest) ? alike + 1 : 0;
    before = now;
    if (alike === LOOKS_ALIKE) return;
    await wait(LOOK_EVERY_MS);
  }
  const waiting = world.callback.waiting();
  const moving = await world.db.database.query(MOVING);
  throw new Error(`It did not come to rest: ${JSON.stringify({ ...rest, waiting, moving })}`);
}

function isDone({ callback, provider }: World, rest: Rest | undefined): boolean {
  if (rest === undefined || callback.waiting() > 0 || provider.underWay() > 0) return false;
  return rest.running + rest.moving + rest.unread + rest.deliveries === 0;
}

async function look({ db }: World, passTime: boolean): Promise<Rest | undefined> {
  try {
    if (passTime) for (const statement of PASS_TIME) await db.database.query(statement);
    return (await db.database.query<Rest>(REST))[0];
  } catch {
    return undefined; // The database is not back yet.
  }
}
