import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import { askFactsAgain, claimForFacts, noteFacts, noteFactsRead, noteMessagingLimit } from './facts-store.ts';
import {
  type ChannelRow,
  clearDefaultChannel,
  findChannel,
  formerIdsOf,
  listChannelRows,
  listChannelsByNumberId,
  listChannelsOfBusinesses,
  listSendingChannels,
  listUsableChannels,
  removeChannels,
  suspendChannelRow,
  updateChannel,
} from './store.ts';

const { database, drop } = await createTestDatabase();
after(drop);

const HOUR_SECONDS = 3_600;
const TOKEN = Buffer.from('token');
const NOTHING = { phoneNumber: null, isDefault: null, sealedToken: null };
const FACTS = { name: 'New', quality: 'red', throughputPerSecond: 100, messagingLimit: 'tier_1k' };

let own: string;
let other: string;
let live: ChannelRow;
let second: ChannelRow;
let test: ChannelRow;
let foreign: ChannelRow;
beforeEach(async () => {
  await database.query("update channel set status = 'removed'");
  [own, other] = [newId(), newId()];
  await database.query("insert into account (id, name) select id, 'Test' from unnest($1::uuid[]) as id", [
    [own, other],
  ]);
  live = await add(own, 'live', { isDefault: true });
  second = await add(own, 'live');
  test = await add(own, 'test', { isDefault: true });
  foreign = await add(other, 'live', { isDefault: true });
});

describe('what is done to a channel', () => {
  it('takes the default from the channels of its account and mode alone, but not from itself', async () => {
    await clearDefaultChannel(database, own, 'live', live.id);
    assert.deepEqual(await unlike([live, second, test, foreign]), []);
    await clearDefaultChannel(database, own, 'live', second.id);
    assert.deepEqual(await unlike([live, second, test, foreign]), [live]);
  });

  it('leaves the only one of its account and mode the default, marked or not, whatever others there are', async () => {
    await removeChannels(database, own, live.id);
    assert.equal((await suspendChannelRow(database, own, second.id, TOKEN))?.is_default, true);
    await add(own, 'live');
    const sealed = { ...NOTHING, sealedToken: TOKEN };
    assert.equal((await updateChannel(database, own, second.id, sealed))?.is_default, false);
  });

  it('suspends it alone, once, and only for the token that was refused', async () => {
    assert.equal(await suspendChannelRow(database, own, live.id, Buffer.from('older')), undefined);
    assert.equal(await suspendChannelRow(database, other, live.id, TOKEN), undefined, 'it is of another account');
    assert.equal((await suspendChannelRow(database, own, live.id, TOKEN))?.status, 'suspended');
    assert.equal(await suspendChannelRow(database, own, live.id, TOKEN), undefined);
    assert.deepEqual(await unlike([live, second, test, foreign]), [live]);
  });

  it('connects it again with a new token, and with nothing else', async () => {
    await suspendChannelRow(database, own, live.id, TOKEN);
    const renamed = await updateChannel(database, own, live.id, { ...NOTHING, phoneNumber: '+15550790001' });
    assert.deepEqual([renamed?.status, renamed?.phone_number], ['suspended', '+15550790001']);
    const connected = await updateChannel(database, own, live.id, { ...NOTHING, sealedToken: TOKEN });
    assert.deepEqual([connected?.status, connected?.phone_number], ['connected', '+15550790001']);
    assert.equal(await updateChannel(database, own, live.id, { ...NOTHING, isDefault: true }), undefined);
    assert.equal((await updateChannel(database, own, live.id, { ...NOTHING, isDefault: false }))?.is_default, false);
    assert.equal(await updateChannel(database, other, live.id, { ...NOTHING, isDefault: true }), undefined);
    assert.deepEqual(await unlike([second, test, foreign]), []);
  });

  it('removes it alone, or all of its account; then nothing more is done to it', async () => {
    assert.deepEqual(await removeChannels(database, other, live.id), [], 'it is of another account');
    const [removed, ...more] = await removeChannels(database, own, live.id);
    assert.deepEqual(
      [removed?.status, removed?.is_default, removed?.access_token_sealed.length],
      ['removed', false, 0],
    );
    assert.deepEqual(more, []);
    assert.deepEqual(await removeChannels(database, own, live.id), []);
    assert.equal(await updateChannel(database, own, live.id, { ...NOTHING, sealedToken: TOKEN }), undefined);
    assert.equal(await noteFacts(database, { ...live, access_token_sealed: Buffer.alloc(0) }, FACTS), undefined);
    assert.deepEqual(await unlike([second, test, foreign]), []);
    assert.equal((await removeChannels(database, own, null)).length, 2);
    assert.deepEqual(await unlike([foreign]), []);
    assert.equal(await findChannel(database, live.id), undefined);
    assert.equal((await findChannel(database, foreign.id))?.account_id, other);
  });
});

describe('the facts of a channel', () => {
  it('are noted where it still has the token that was asked with, and of it alone', async () => {
    assert.equal(await noteFacts(database, { ...live, access_token_sealed: Buffer.from('older') }, FACTS), undefined);
    assert.equal(await noteFacts(database, { ...live, account_id: other }, FACTS), undefined);
    assert.equal((await noteFacts(database, live, FACTS))?.quality, 'red');
    assert.equal(await noteFacts(database, live, FACTS), undefined, 'no news');
    assert.deepEqual(await unlike([second, test, foreign]), []);
  });

  it('are told of a new messaging limit by channel, once', async () => {
    assert.deepEqual(await noteMessagingLimit(database, [{ ...live, account_id: other }], 'tier_2k'), []);
    assert.deepEqual(ids(await noteMessagingLimit(database, [live], 'tier_2k')), [live.id]);
    assert.deepEqual(await noteMessagingLimit(database, [live], 'tier_2k'), []);
    assert.deepEqual(await unlike([second, test, foreign]), []);
  });

  it('are due when they were not read for so long, and at once where news asks for it, also of a test channel', async () => {
    await readAgo('10 minutes');
    assert.deepEqual(await claimForFacts(database, HOUR_SECONDS, 10), []);
    await askFactsAgain(database, [live, test]);
    const first = await claimForFacts(database, HOUR_SECONDS, 10);
    assert.deepEqual(sorted(first), sorted([live, test]));
    await askFactsAgain(database, [live]);
    const [claimed] = await claimForFacts(database, HOUR_SECONDS, 10);
    assert.ok(claimed !== undefined);
    assert.equal(claimed.id, live.id, 'asked for again meanwhile');
    const before = await Promise.all(first.map((one) => noteFactsRead(database, one)));
    assert.deepEqual(before.sort(), [false, true], 'what was read before that does not count');
    const others = [{ account_id: other }, { access_token_sealed: Buffer.from('older') }];
    for (const unlike of others) assert.equal(await noteFactsRead(database, { ...claimed, ...unlike }), false);
    assert.equal(await noteFactsRead(database, claimed), true);
    await readAgo('2 hours');
    const due = [live, second, foreign];
    assert.deepEqual(sorted(await claimForFacts(database, HOUR_SECONDS, 10)), sorted(due), 'live ones');
    await readAgo('2 hours');
    for (const one of [live, second, foreign]) await suspendChannelRow(database, one.account_id, one.id, TOKEN);
    assert.deepEqual(await claimForFacts(database, HOUR_SECONDS, 10), []);
  });

  it('are read first of the channels that have waited longest', async () => {
    await removeChannels(database, other, null);
    await readAgo('2 hours');
    await database.query("update channel set facts_read_at = now() - interval '3 hours' where id = $1", [second.id]);
    assert.deepEqual(ids(await claimForFacts(database, HOUR_SECONDS, 1)), [second.id]);
  });
});

describe('the channels of an account', () => {
  it('are its own, those that it has now, and each mode has its default', async () => {
    await removeChannels(database, own, second.id);
    for (const rows of [await listUsableChannels(database, own), (await listSendingChannels(database, [own]))[0] ?? []])
      assert.deepEqual(
        rows.map(({ account_id: accountId, id, is_default: isDefault }) => [accountId, id, isDefault]),
        [live, test].map(({ id }) => [own, id, true]),
      );
    assert.deepEqual(await listSendingChannels(database, [newId()]), [[]]);
    await database.query('update account set suspended_at = now() where id = $1', [other]);
    const sending = await listSendingChannels(database, [other, own]);
    assert.deepEqual(
      sending.map((rows) => rows.map((row) => row.account_suspended)),
      [[true], [false, false]],
    );
  });

  it('are listed newest first, page by page, of one mode or of both, removed ones too', async () => {
    await removeChannels(database, own, second.id);
    const list = async (mode: Mode | null, before: string | null = null) =>
      ids(await listChannelRows(database, { accountId: own, mode }, before, 10));
    assert.deepEqual(await list(null), [test.id, second.id, live.id]);
    assert.deepEqual(await list('live'), [second.id, live.id]);
    assert.deepEqual(await list(null, second.id), [live.id]);
  });
});

describe('where a notification goes', () => {
  it('is the channel that has the number now, with those of the same mode that had it before', async () => {
    await removeChannels(database, own, live.id);
    const { phone_number_id: phoneNumberId, business_account_id: businessAccountId } = live;
    const formerOf = async (mode: Mode) => {
      await database.query('update channel set mode = $1 where account_id = $2 and id = $3', [mode, own, live.id]);
      return (await listChannelsByNumberId(database, [phoneNumberId])).map(({ former }) => former);
    };
    assert.deepEqual(await formerOf('live'), [], 'nobody has it');
    const now = await add(other, 'live', { phoneNumberId, businessAccountId });
    assert.deepEqual(await formerOf('test'), [[]]);
    assert.deepEqual(await formerOf('live'), [[{ account_id: own, id: live.id }]]);
    const [target] = await listChannelsOfBusinesses(database, [businessAccountId]);
    assert.deepEqual([target?.account_id, target?.id], [other, now.id]);
    assert.deepEqual(formerIdsOf(own, target?.former ?? []), [live.id]);
    assert.deepEqual(formerIdsOf(other, target?.former ?? []), [], 'of the account that asks');
  });

  it('knows the last ones of a number that is connected anew again and again, as a look into all of them takes longer and longer', async () => {
    const { phone_number_id: phoneNumberId } = foreign;
    const former = Array.from({ length: 30 }, newId);
    await database.query(
      `insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed, status)
       select $1, id, 'live', $2, 'business', '+15550790000', '', 'removed' from unnest($3::uuid[]) as id`,
      [own, phoneNumberId, former],
    );
    const [target] = await listChannelsByNumberId(database, [phoneNumberId]);
    assert.deepEqual(formerIdsOf(own, target?.former ?? []), former.slice(-20).reverse());
  });
});

interface Wish {
  isDefault?: boolean;
  phoneNumberId?: string;
  businessAccountId?: string;
}

async function add(accountId: string, mode: Mode, wish: Wish = {}): Promise<ChannelRow> {
  const id = newId();
  await database.query(
    `insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed, is_default)
     values ($1, $2, $3, $4, $5, '+15550790000', $6, $7)`,
    [
      accountId,
      id,
      mode,
      wish.phoneNumberId ?? newId(),
      wish.businessAccountId ?? newId(),
      TOKEN,
      wish.isDefault ?? false,
    ],
  );
  return stored({ account_id: accountId, id });
}

async function stored({ account_id: accountId, id }: { account_id: string; id: string }): Promise<ChannelRow> {
  const rows = await listChannelRows(database, { accountId, mode: null }, null, 10);
  const row = rows.find((one) => one.id === id);
  assert.ok(row !== undefined);
  return row;
}

/** Those that are stored in another way than they were. */
async function unlike(rows: ChannelRow[]): Promise<ChannelRow[]> {
  const now = await Promise.all(rows.map(stored));
  return rows.filter((row, place) => now[place]?.updated_at.getTime() !== row.updated_at.getTime());
}

function readAgo(ago: string) {
  return database.query("update channel set facts_read_at = now() - $1::interval where status <> 'removed'", [ago]);
}

const ids = (rows: readonly ChannelRow[]) => rows.map(({ id }) => id);
const sorted = (rows: readonly ChannelRow[]) => rows.map((row) => `${row.account_id} ${row.id}`).sort();
