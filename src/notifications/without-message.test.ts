import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { agedId, ageEverything } from '../../test/support/age.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  lineOf,
  listNotifications,
  messagesBody,
  postAndApply,
  sendOne,
  statusOf,
} from '../../test/support/notifications.ts';
import { formatId, newId, parseId } from '../kernel/ids.ts';
import { keepLimitsByTwoClocks } from '../kernel/keep.ts';
import { decodeNotification } from '../provider/whatsapp/decode/decode.ts';
import { applyNotifications } from './apply.ts';

/** Past the time of messages, and within that of events. */
const DAYS = 2;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ settings: { WAYPOST_KEEP_MESSAGES_DAYS: '1' }, sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

it('a report of a message that is past its time is applied, and told to nobody', async () => {
  const old = await sendOne(gateway);
  await ageEverything(gateway.database, DAYS);
  const young = await sendOne(gateway);
  const uuid = await agedId(gateway.database, parseId('msg', old.id) ?? '', DAYS);
  assert.equal((await gateway.call('GET', `/api/v1/messages/${formatId('msg', uuid)}`)).status, 404);

  const statuses = [old, young].map(({ message_id: providerId }) => statusOf('read', { providerId }));
  await postAndApply(gateway, messagesBody(await lineOf(gateway), { statuses }));
  assert.deepEqual(
    (await listNotifications(gateway)).map(({ state }) => state),
    ['applied'],
  );
  const [stored] = await gateway.database.query<{ status: string }>('select status from message where id = $1', [uuid]);
  assert.equal(stored?.status, 'read');
  const { json } = await gateway.call('GET', '/api/v1/events?after=0');
  const read = json.data.filter(({ type }: { type: string }) => type === 'message.read');
  assert.deepEqual(
    read.map(({ data }: { data: { message: { id: string } } }) => data.message.id),
    [young.id],
  );
});

const DAY_MS = 86_400_000;

it('a report is told also by a node whose clock alone says that its message is past its time', async () => {
  const young = await sendOne(gateway);
  const statuses = [statusOf('delivered', { providerId: young.message_id })];
  const body = Buffer.from(JSON.stringify(messagesBody(await lineOf(gateway), { statuses })));
  const days = { messages: 1, content: 1, events: 30, notifications: 7, setAside: 30 };
  const ahead = { nowMs: () => Date.now() + DAYS * DAY_MS };
  const deps = {
    ...{ decode: decodeNotification, nowMs: ahead.nowMs },
    messagesFromMs: (databaseMs: number) => keepLimitsByTwoClocks(days, ahead, databaseMs).messagesFromMs,
  };
  const notification = { id: newId(), origin: 'test' as const, body, items_left: null, attempts: 0 };
  await gateway.database.transaction((tx) => applyNotifications(tx, deps, [notification]));
  const { json } = await gateway.call('GET', '/api/v1/events?after=0');
  const told = json.data.map(({ type, data }: { type: string; data: { message: { id: string } } }) => {
    return [type, data.message.id];
  });
  assert.deepEqual(told.at(-1), ['message.delivered', young.id]);
});

/**
 * When a status of a message that some other program has sent is looked at, in milliseconds since it came; and its end. The clock of the node
 * that looks may be ahead of that of the one that received it.
 */
async function looksAtForeignStatus(aheadMs = 0) {
  const status = statusOf('delivered', { providerId: 'wamid.of-another-program' });
  const body = Buffer.from(JSON.stringify(messagesBody(await lineOf(gateway), { statuses: [status] })));
  // Its id tells when it came, which is never before this.
  const cameMs = Date.now();
  const notification = { id: newId(), origin: 'test' as const, body, items_left: null };
  const looksMs: number[] = [];
  for (let nowMs = cameMs; ; ) {
    const deps = { decode: decodeNotification, nowMs: () => nowMs + aheadMs, messagesFromMs: () => 0 };
    const claimed = { ...notification, attempts: looksMs.length };
    const { results } = await gateway.database.transaction((tx) => applyNotifications(tx, deps, [claimed]));
    const result = results[0] ?? assert.fail();
    looksMs.push(nowMs - cameMs);
    if (result.state !== 'waiting') return { looksMs, ...result };
    nowMs += result.retryInSeconds * 1_000;
  }
}

it('a status whose message never comes is looked at ever less, and set aside after 7 days', async () => {
  const { looksMs, state, error } = await looksAtForeignStatus();
  assert.deepEqual([state, error], ['set_aside', 'unknown_message']);
  const inFirstMinute = looksMs.filter((ms) => ms < 60_000).length;
  assert.ok(inFirstMinute >= 5, `${inFirstMinute} looks in the first minute`);
  assert.ok(
    looksMs.length <= 30,
    `${looksMs.length} looks: a number that another program uses too has such statuses without end`,
  );
  for (const [look, ms] of looksMs.entries()) assert.ok(ms - (looksMs[look - 1] ?? 0) <= DAY_MS, `${looksMs}`);
  const lastMs = looksMs.at(-1) ?? 0;
  assert.ok(lastMs >= 7 * DAY_MS && lastMs < 7 * DAY_MS + 60_000, `set aside after ${lastMs / DAY_MS} days`);
});

it('a node whose clock is weeks ahead looks at it for a minute before it is set aside', async () => {
  const { looksMs, state } = await looksAtForeignStatus(21 * DAY_MS);
  assert.equal(state, 'set_aside');
  assert.deepEqual(
    looksMs.map((ms) => ms / 1_000),
    [0, 1, 3, 7, 15, 31, 63],
  );
});

it('what somebody’s lock holds up is looked at within a minute, however often that was in vain', async () => {
  const status = statusOf('delivered', { providerId: 'wamid.held-up' });
  const body = Buffer.from(JSON.stringify(messagesBody(await lineOf(gateway), { statuses: [status] })));
  const claimed = { id: newId(), origin: 'test' as const, body, items_left: null, attempts: 20 };
  const deps = { decode: decodeNotification, nowMs: Date.now, messagesFromMs: () => 0 };
  const { results } = await gateway.database.transaction((tx) =>
    applyNotifications(tx, deps, [claimed], async () => new Map([[0, 'locked']])),
  );
  assert.deepEqual(
    results.map(({ state, retryInSeconds }) => ({ state, retryInSeconds })),
    [{ state: 'waiting', retryInSeconds: 60 }],
  );
});

it('what a notification leaves is its own, also behind one with many items; and of many kinds a hundred are kept', async () => {
  const line = await lineOf(gateway);
  const claimed = [150, 1].map((count) => {
    const statuses = Array.from({ length: count }, (_, place) =>
      statusOf(`odd_${place}`, { providerId: `wamid.odd.${count}` }),
    );
    // Two of each kind.
    const body = Buffer.from(JSON.stringify(messagesBody(line, { statuses: [...statuses, ...statuses] })));
    return { id: newId(), origin: 'test' as const, body, items_left: null, attempts: 0 };
  });
  const deps = { decode: decodeNotification, nowMs: Date.now, messagesFromMs: () => 0 };
  const { results } = await gateway.database.transaction((tx) =>
    applyNotifications(tx, deps, claimed, async () => new Map([[301, 'no_channel']])),
  );
  assert.deepEqual(
    results.map(({ state, itemsLeft, kinds }) => ({ state, itemsLeft, kinds: kinds.length })),
    [
      { state: 'applied', itemsLeft: [], kinds: 100 },
      { state: 'set_aside', itemsLeft: [1], kinds: 1 },
    ],
  );
});
