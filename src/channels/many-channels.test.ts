import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { quickestMs } from '../../test/support/quickest.ts';
import { addLiveChannel } from '../../test/templates/live-channel.ts';
import { newId } from '../kernel/ids.ts';
import { createSealer } from '../kernel/sealed.ts';
import { bearTestChannel } from './connect.ts';
import { noteMessagingLimit, readChannels } from './facts-store.ts';
import {
  type ChannelRow,
  listChannelRows,
  listChannelsOfBusinesses,
  listSendingChannels,
  listUsableChannels,
} from './store.ts';

const CHANNELS = 4_000;
/** Ten times what it takes. It was three seconds and more while each channel was compared with every one before it. */
const READ_MS_MAX = 1_000;

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

/** An account with its test channel, and as many live channels as it has removed before: one of them its default. */
async function newAccount() {
  const accountId = newId();
  const { database } = test;
  await database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Many channels']);
  const add = (status: string, business: string) =>
    database.query(
      `insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed, status)
       select $1, id, 'live', id::text, $4, '+15550790000', '', $3::channel_status from unnest($2::uuid[]) as made(id)`,
      [accountId, Array.from({ length: CHANNELS }, newId), status, business],
    );
  await add('removed', `former ${accountId}`);
  await add('connected', accountId);
  await bearTestChannel(database, createSealer(Buffer.alloc(32)), accountId);
  const [first] = await listUsableChannels(database, accountId);
  await database.query('update channel set is_default = true where account_id = $1 and id = $2', [
    accountId,
    first?.id,
  ]);
  return { accountId, defaultId: first?.id };
}

it('an account with thousands of channels, and thousands removed before, has them and its defaults read at once', async () => {
  const { database } = test;
  const { accountId, defaultId } = await newAccount();
  const targets = await listChannelsOfBusinesses(database, [accountId]);
  let limits = 0;
  const reads: Record<string, () => Promise<ChannelRow[]>> = {
    'what it sends from': async () => (await listSendingChannels(database, [accountId])).flat(),
    'those that it has': () => listUsableChannels(database, accountId),
    'all, removed ones too': () => listChannelRows(database, { accountId, mode: null }, null, 3 * CHANNELS),
    'those of a business account': () => readChannels(database, targets),
    'those of a new limit': () => noteMessagingLimit(database, targets, `tier_${++limits}`),
  };
  for (const [what, read] of Object.entries(reads)) {
    let rows: ChannelRow[] = [];
    const tookMs = await quickestMs(READ_MS_MAX, async () => {
      rows = await read();
    });
    assert.ok(tookMs < READ_MS_MAX, `${what}: ${Math.round(tookMs)} ms`);
    assert.ok(rows.length >= CHANNELS, `${what}: ${rows.length}`);
    const defaults = rows.filter((row) => row.is_default);
    assert.deepEqual(
      defaults.filter(({ mode }) => mode === 'live').map(({ id }) => id),
      [defaultId],
      what,
    );
    const ofTest = rows.filter(({ mode }) => mode === 'test');
    assert.ok(ofTest.every((row) => row.is_default));
  }
});

it('the only channel that is left is the default, and none that was removed is', async () => {
  const { database } = test;
  const accountId = newId();
  await database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Two']);
  await addLiveChannel(database, { accountId, businessAccountId: 'two' }, 'removed');
  await addLiveChannel(database, { accountId, businessAccountId: 'two' });
  const defaults = async () =>
    (await listChannelRows(database, { accountId, mode: null }, null, 10)).map((row) => [row.status, row.is_default]);
  assert.deepEqual((await defaults()).toSorted(), [
    ['connected', true],
    ['removed', false],
  ]);
  await addLiveChannel(database, { accountId, businessAccountId: 'two' });
  assert.ok((await defaults()).every(([, isDefault]) => isDefault === false));
});
