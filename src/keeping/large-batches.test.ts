import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase } from '../../test/support/database.ts';
import { letLargeDeletionsTakeTooLong } from '../../test/support/take-too-long.ts';
import { createAccount } from '../accounts/accounts.ts';
import { deleteAccount } from '../erasure/delete-account.ts';
import { eraseRound } from '../erasure/erase-round.ts';
import { systemClock } from '../kernel/clock.ts';
import { firstIdOfMs, newId } from '../kernel/ids.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { createBatchShares } from '../store/batch-shares.ts';
import { keepRound } from './keep-round.ts';

const DAYS = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
/** From the usual 5,000 rows to the ten that go through in time it takes nine halves. */
const HALVES = 9;

const { database, drop } = await createTestDatabase();
after(drop);
await letLargeDeletionsTakeTooLong(database, ['timeline', 'timeline_default'], 10);

/** Rounds until one goes through, as the gateway does them; how many did not. */
async function countFailedRounds(round: () => Promise<unknown>): Promise<number> {
  for (let failed = 0; ; failed++) {
    assert.ok(failed < 100, 'no round goes through');
    try {
      await round();
      return failed;
    } catch (error) {
      assert.ok(error instanceof StoreUnavailable);
    }
  }
}

async function addReports(accountId: string, atMs: number): Promise<void> {
  await database.query(
    `insert into timeline (account_id, message_id, id, status, at, received_at)
     select $1, (left($2, 24) || lpad(place::text, 12, '0'))::uuid, $3, 'sent', now(), now() from generate_series(1, 40) place`,
    [accountId, firstIdOfMs(atMs), newId()],
  );
}

const countReports = async () => (await database.query('select 1 from timeline')).length;

it('what is past its time and too large for a usual batch is taken away in smaller ones', async () => {
  await addReports(newId(), Date.now() - 400 * 86_400_000);
  const shares = createBatchShares();
  const log = pino({ level: 'silent' });
  const failed = await countFailedRounds(() => keepRound({ database, days: DAYS, clock: systemClock, log }, shares));
  assert.ok(failed >= HALVES, `${failed}`);
  assert.equal(await countReports(), 0);
});

it('so is what is left of a deleted account, and beside it the other accounts are deleted as always', async () => {
  for (const name of ['Large', 'Usual']) {
    const account = await createAccount(database, { name, actor: 'test' }, async () => undefined);
    if (name === 'Large') await addReports(account.id, Date.now());
    await deleteAccount(database, account.id);
  }
  const shares = createBatchShares();
  await assert.rejects(eraseRound(database, 0, undefined, shares), StoreUnavailable);
  assert.deepEqual(await database.query('select name from account'), [{ name: 'Large' }]);
  const failed = await countFailedRounds(() => eraseRound(database, 0, undefined, shares));
  assert.ok(failed >= HALVES - 1, `${failed}`);
  assert.deepEqual(await database.query('select name from account'), []);
  assert.equal(await countReports(), 0);
});
