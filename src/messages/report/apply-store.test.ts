import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createTestDatabase } from '../../../test/support/database.ts';
import { intendedMessage, newRequest } from '../../../test/support/new-request.ts';
import { appendEvents } from '../../events/store.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../../store/database.ts';
import { commitSends } from '../commit/commit-store.ts';
import type { IntendedMessage } from '../message.ts';
import { draftMessageEvents } from '../read/message-events.ts';
import { findMessageWithTimeline } from '../read/read-store.ts';
import { applyReports } from './apply-reports.ts';
import {
  changeMessages,
  locateMessages,
  lockMessages,
  type MessageChange,
  type StatusReport,
  unpackMessages,
} from './apply-store.ts';

const [ACCOUNT, CHANNEL, OTHER_CHANNEL] = [newId(), newId(), newId()];

const { database, drop } = await createTestDatabase();
after(drop);

describe('a message that is reported', () => {
  it('is found by either id, but for its own number alone', async () => {
    const [taken, unsure] = [await addMessage('wamid.taken'), await addMessage(null)];
    const ways = [
      { providerMessageId: 'wamid.taken', messageId: taken },
      { providerMessageId: 'wamid.taken', messageId: null },
      { providerMessageId: 'wamid.new', messageId: unsure },
    ];
    assert.deepEqual(await locate(ways, CHANNEL), [taken, taken, unsure]);
    assert.deepEqual(await locate(ways, OTHER_CHANNEL), [undefined, undefined, undefined]);
    assert.deepEqual(await locate([{ providerMessageId: 'wamid.another', messageId: taken }], CHANNEL), [undefined]);
  });

  it('is not found by our id before it goes out, because it would never have the id that the provider gives it then', async () => {
    const message = intendedMessage({ status: 'pending' });
    await beginWith([message]);
    const way = { providerMessageId: 'wamid.of-nothing', messageId: message.id };
    assert.deepEqual(await locate([way], CHANNEL), [undefined]);
    await database.query(`update message set status = 'transmitting' where id = $1`, [message.id]);
    assert.deepEqual(await locate([way], CHANNEL), [message.id]);
  });

  it('is held until the reports on it are committed, and no other one is', async () => {
    const [one, other] = [await addMessage(null), await addMessage(null)];
    await database.transaction(async (tx) => {
      const locked = await lockMessages(tx, [{ accountId: ACCOUNT, id: one }]);
      assert.deepEqual(
        locked.map(({ id }) => id),
        [one],
      );
      const free = 'select id from message where id = any($1) for update skip locked';
      assert.deepEqual(await database.query(free, [[one, other]]), [{ id: other }]);
    });
  });

  it('keeps the ids and the time of its delivery that were known first', async () => {
    const id = await addMessage(null);
    const told = { providerMessageId: 'wamid.first', userId: 'GB.first', toDeliveryMs: 500 };
    await change(id, { ...told, toDeliveryMs: null });
    await change(id, told);
    await change(id, { providerMessageId: 'wamid.second', userId: null, toDeliveryMs: 900 });
    const [row] = await database.query(
      'select provider_message_id, user_id, to_delivery_ms from message where id = $1',
      [id],
    );
    assert.deepEqual(row, { provider_message_id: 'wamid.first', user_id: 'GB.first', to_delivery_ms: 500 });
  });

  it('moves on, once accepted, without an entry of any index written anew', async () => {
    const id = await addMessage('wamid.moves');
    await database.transaction(async (tx) => {
      const [earlier] = await tx.query<Written>(WRITTEN);
      for (const status of ['sent', 'delivered', 'read'] as const) await change(id, { ...TOLD_AGAIN, status }, tx);
      const [now] = await tx.query<Written>(WRITTEN);
      assert.ok(earlier && now);
      assert.deepEqual([now.changes - earlier.changes, now.in_place - earlier.in_place], [3, 3]);
    });
  });

  it('has room for that beside it mostly, also when all messages of its time are reported at once', async () => {
    const messages = Array.from({ length: 200 }, () => intendedMessage());
    const ids = messages.map(({ id }) => id);
    const requestId = await beginWith(messages);
    const whose = { accountId: ACCOUNT, requestId, channelId: CHANNEL, mode: 'test', type: 'text' } as const;
    const told = { status: 'accepted', userId: null, held: false, at: new Date(), error: null } as const;
    const settled = messages.map((message, place) => {
      return { ...whose, message, outcome: { ...told, providerMessageId: `wamid.room.${place}` } };
    });
    await commitSends(database, { begun: [], settled, completed: [] }, 'new');
    const unchanged = { error: null, pricing: null, userId: null, toDeliveryMs: null };
    await database.transaction(async (tx) => {
      const [earlier] = await tx.query<Written>(WRITTEN);
      const sent = ids.map((id) => ({ accountId: ACCOUNT, id, status: 'sent' as const, ...unchanged }));
      await changeMessages(
        tx,
        sent.map((one, place) => ({ ...one, providerMessageId: `wamid.room.${place}` })),
      );
      const [now] = await tx.query<Written>(WRITTEN);
      assert.ok(earlier && now);
      assert.equal(now.changes - earlier.changes, 200);
      const inPlace = now.in_place - earlier.in_place;
      assert.ok(inPlace > 100, `${inPlace} of 200`);
    });
  });

  it('gets its row while its request runs, if it is reported for its own number, and no other message does', async () => {
    const intended = [intendedMessage(), intendedMessage()];
    const [reported] = intended;
    const requestId = await beginWith(intended);
    const unpack = (channelId: string) =>
      unpackMessages(database, [
        { accountId: ACCOUNT, channelId, messageId: reported?.id ?? '' },
        { accountId: ACCOUNT, channelId: CHANNEL, messageId: newId() },
      ]);
    const rows = () => database.query('select id from message where request_id = $1', [requestId]);
    await unpack(OTHER_CHANNEL);
    assert.deepEqual(await rows(), []);
    for (let times = 0; times < 2; times++) await unpack(CHANNEL);
    assert.deepEqual(await rows(), [{ id: reported?.id }]);
  });
});

it('A timeline and the events tell what was learned in one order, whatever the clocks of the gateways that learned it', async (t) => {
  const id = await addMessage('wamid.clocks');
  const nothing = { formerChannelIds: [], error: null, pricing: null, userId: null };
  const of = { accountId: ACCOUNT, channelId: CHANNEL, providerMessageId: 'wamid.clocks', messageId: null };
  const nowMs = Date.now();
  // Ids go back when the clock does by more than a minute.
  const learned = [
    { status: 'sent', ahead: true },
    { status: 'delivered', ahead: false },
    { status: 'read', ahead: true },
    { status: 'read', ahead: false },
  ];
  for (const { status, ahead } of learned) {
    t.mock.timers.enable({ apis: ['Date'], now: ahead ? nowMs + 120_000 : nowMs });
    const at = new Date();
    await database.transaction(async (tx) => {
      const { events } = await applyReports(tx, [{ ...of, ...nothing, status, at, receivedAt: at }]);
      await appendEvents(tx, await draftMessageEvents(tx, events));
    });
    t.mock.timers.reset();
  }
  const timeline = (await findMessageWithTimeline(database, { accountId: ACCOUNT, mode: 'test' }, id))?.timeline;
  assert.deepEqual(
    timeline?.map(({ status, note }) => [status, note]),
    [
      ['sent', null],
      ['delivered', null],
      ['read', null],
      ['read', 'duplicate'],
    ],
  );
  const events = await database.query<{ type: string }>(
    'select type from event where account_id = $1 order by sequence',
    [ACCOUNT],
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    ['message.sent', 'message.delivered', 'message.read'],
  );
});

async function beginWith(intended: IntendedMessage[]): Promise<string> {
  const request = newRequest(intended, { accountId: ACCOUNT, channelId: CHANNEL });
  await commitSends(database, { begun: [request], settled: [], completed: [] }, 'new');
  return request.id;
}

/** One that was accepted with this id of the provider's, or that is unknown. Returns our id. */
async function addMessage(providerMessageId: string | null): Promise<string> {
  const message = intendedMessage();
  const requestId = await beginWith([message]);
  const told = { providerMessageId, userId: null, held: false, at: new Date() };
  const outcome =
    providerMessageId === null
      ? ({ ...told, status: 'unknown', error: { code: 'outcome_unknown' } } as const)
      : ({ ...told, status: 'accepted', error: null } as const);
  const whose = { accountId: ACCOUNT, requestId, channelId: CHANNEL, mode: 'test', type: 'text' } as const;
  await commitSends(database, { begun: [], settled: [{ ...whose, message, outcome }], completed: [] }, 'new');
  return message.id;
}

function locate(ways: readonly Pick<StatusReport, 'providerMessageId' | 'messageId'>[], channelId: string) {
  const now = new Date();
  const nothing = { formerChannelIds: [], status: 'sent', at: now, receivedAt: now, error: null, pricing: null };
  const reports = ways.map((way) => ({ ...way, ...nothing, accountId: ACCOUNT, channelId, userId: null }));
  return locateMessages(database, reports);
}

/** What this connection has changed since it last told the server, and how much of that touched no index. */
const WRITTEN = `
  select coalesce(sum(n_tup_upd), 0)::integer as changes, coalesce(sum(n_tup_hot_upd), 0)::integer as in_place
  from pg_stat_xact_user_tables where relname like 'message%'`;
interface Written {
  changes: number;
  in_place: number;
}

const TOLD_AGAIN = { providerMessageId: 'wamid.moves', userId: null, toDeliveryMs: null };
type Told = Pick<MessageChange, 'providerMessageId' | 'userId' | 'toDeliveryMs'> & Partial<MessageChange>;

function change(id: string, told: Told, tx: Queryable = database) {
  return changeMessages(tx, [{ accountId: ACCOUNT, id, status: null, error: null, pricing: null, ...told }]);
}
