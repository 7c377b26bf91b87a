import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { appendEvents } from '../events/store.ts';
import { formatId, newId } from '../kernel/ids.ts';
import { createSealer } from '../kernel/sealed.ts';
import type { Database } from '../store/database.ts';
import { removeChannel } from './change.ts';
import { bearTestChannel } from './connect.ts';
import { channelEvent } from './present.ts';
import { type ChannelRow, listUsableChannels, suspendChannelRow } from './store.ts';
import { suspendChannel } from './suspend.ts';

const sealer = createSealer(Buffer.alloc(32));

let test: TestDatabase;
let accountId: string;
let [staying, leaving]: ChannelRow[] = [];
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

beforeEach(async () => {
  const { database } = test;
  accountId = newId();
  await database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Test']);
  await bearTestChannel(database, sealer, accountId);
  await database.query('update channel set is_default = false where account_id = $1', [accountId]);
  await bearTestChannel(database, sealer, accountId);
  [staying, leaving] = await listUsableChannels(database, accountId);
});

/** What the last event tells of the channel that stays. */
async function lastTold(): Promise<unknown[]> {
  const [last] = await test.database.query<{ status: string; is_default: string }>(
    `select data->'channel'->>'status' as status, data->'channel'->>'default' as is_default from event
     where account_id = $1 and data->'channel'->>'id' = $2 order by sequence desc limit 1`,
    [accountId, formatId('chn', staying?.id ?? '')],
  );
  return [last?.status, last?.is_default];
}

describe('the last event of a channel tells how it is', () => {
  it('where it is being suspended while another one is removed', async () => {
    const { database } = test;
    assert.ok(staying !== undefined && leaving !== undefined);
    const { id, access_token_sealed: token } = staying;
    const other = leaving;
    let removing: Promise<void> | undefined;
    await database.transaction(async (tx) => {
      const suspended = await suspendChannelRow(tx, accountId, id, token);
      assert.ok(suspended !== undefined);
      await appendEvents(tx, [channelEvent(suspended)]);
      removing = removeChannel(database, other);
      await until(async () => (await countWaitingForLocks(database)) === 1);
    });
    await removing;
    assert.deepEqual(await lastTold(), ['suspended', 'true']);
  });

  it('where another one is being removed while it is suspended', async () => {
    const { database } = test;
    assert.ok(staying !== undefined && leaving !== undefined);
    const refused = { accountId, id: staying.id, sealedToken: staying.access_token_sealed };
    let suspending: Promise<void> | undefined;
    const meanwhile: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (tx) => {
          const result = await work(tx);
          suspending = suspendChannel(database, pino({ level: 'silent' }), refused);
          await until(async () => (await countWaitingForLocks(database)) === 1);
          return result;
        }),
    };
    await removeChannel(meanwhile, leaving);
    await suspending;
    assert.deepEqual(await lastTold(), ['suspended', 'true']);
  });
});
