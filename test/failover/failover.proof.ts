import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Database } from '../../src/store/database.ts';
import { assertBalanced, balance, countStatuses } from '../nodes/books.ts';
import { startWorld } from '../nodes/world.ts';
import { until } from '../support/until.ts';
import { startPair } from './pair.ts';
import { missingTools } from './postgres-tools.ts';
import { readFeed } from './read-feed.ts';

const LATENCY_MS = 100;
const SENDS_BEFORE = 60;
const SENDS_AFTER = 60;
/** "Within seconds", on a machine that has other things to do. */
const BACK_WITHIN_MS = 10_000;

it('a primary that dies under load and the promotion of its standby lose and double nothing', {
  skip: missingTools(),
}, async (t) => {
  const { servers, address, db } = await startPair(t);
  const world = await startWorld(t, { nodes: 2, db, sandbox: { WAYPOST_SANDBOX_LATENCY_MS: String(LATENCY_MS) } });
  const { sandbox, balancer, apiKey } = world;
  const reader = readFeed(balancer.url, apiKey);
  const callers = world.startCallers({ callers: 8, sizes: [1, 3, 10] });
  await until(() => callers.sent.length >= SENDS_BEFORE, 60_000);

  const killedMs = Date.now();
  await servers.killHard('primary');
  await servers.promote('standby');
  const promotedMs = Date.now();
  address.moveTo(servers.socketOf('standby'));
  // A send that began without a primary, or was repeated because there was none: only the promoted server can have answered it.
  const answeredAfter = () =>
    callers.sent.filter(
      ({ endedMs, tookMs, repeated }) => endedMs > promotedMs && (repeated.length > 0 || endedMs - tookMs > killedMs),
    );
  await until(() => answeredAfter().length > 0, 60_000);
  const backMs = Math.min(...answeredAfter().map(({ endedMs }) => endedMs)) - promotedMs;
  const from = callers.sent.length;
  await until(() => callers.sent.length >= from + SENDS_AFTER, 60_000);
  const sent = await callers.stop();

  const taken = (await sandbox.transmits()).filter((transmit) => transmit.taken).length;
  await until(async () => (await countStatuses(db.database)).read === taken, 60_000);
  const sheet = await balance(sent, sandbox, db.database);
  const notifications = await countNotifications(db.database);
  const events = await countEvents(db.database);
  await until(() => reader.events.length === events.count);
  await reader.stop();
  const figures = {
    promoted_ms: promotedMs - killedMs,
    back_ms: backMs,
    callbacks_200: balancer.counts.callbacksTaken,
  };
  t.diagnostic(JSON.stringify({ ...sheet, ...figures, notifications, events }));
  await assertBalanced(sheet, db.database);
  assert.equal(sheet.accepted + sheet.unknown, sheet.sent, `nothing failed: ${JSON.stringify(sheet.errors)}`);
  assert.ok(backMs < BACK_WITHIN_MS, `back ${backMs} ms after the promotion`);
  assert.ok(balancer.counts.callbacksTaken > 0, 'notifications came through the balancer');
  assert.ok(notifications.stored >= balancer.counts.callbacksTaken, 'what was answered 200 is there');
  assert.deepEqual([notifications.open, notifications.effects], [0, 3 * taken], 'and each has one effect');
  assert.deepEqual([events.first, events.last], [1, events.count], 'events are numbered without gaps');
  const stored = await db.database.query<{ id: string; sequence: number }>(
    'select id::text, sequence from event order by sequence',
  );
  assert.deepEqual(
    reader.events.map(({ sequence }) => sequence),
    stored.map(({ sequence }) => sequence),
    'and no reader was given one that is gone',
  );
});

/** A notification whose commit was in doubt is posted again, and stored twice. The second one is noted as a duplicate. */
async function countNotifications(db: Database) {
  const [row] = await db.query<{ stored: number; open: number; effects: number }>(`
    select (select count(*) from notification) + packed as stored,
      (select count(*) from notification where state <> 'applied') + packed as open,
      (select count(*) from timeline where status in ('sent', 'delivered', 'read') and note is distinct from 'duplicate')
        as effects
    from (select coalesce(sum(cardinality(ids)), 0) as packed from notification_pack) p`);
  return row ?? assert.fail();
}

async function countEvents(db: Database) {
  const [row] = await db.query<{ count: number; first: number; last: number }>(
    'select count(*) as count, min(sequence) as first, max(sequence) as last from event',
  );
  return row ?? assert.fail();
}
