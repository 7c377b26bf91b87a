import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { addLiveChannel } from '../../test/templates/live-channel.ts';
import { newId } from '../kernel/ids.ts';
import { claimDueSyncs } from './store.ts';

const HOUR_SECONDS = 3_600;
/** As many as a round claims. */
const LIMIT = 5;

let test: TestDatabase;
let accountId: string;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());
beforeEach(async () => {
  await test.database.query('delete from template_sync');
  await test.database.query("update channel set status = 'removed'");
  accountId = newId();
  await test.database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Test']);
});

async function addBusinessAccount(name: string, channel: 'connected' | 'suspended' | 'removed', readAgo: string) {
  await addLiveChannel(test.database, { accountId, businessAccountId: name }, channel);
  await test.database.query(
    `insert into template_sync (account_id, mode, business_account_id, synced_at) values ($1, 'live', $2, now() - $3::interval)`,
    [accountId, name, readAgo],
  );
}
const claim = async () =>
  (await claimDueSyncs(test.database, HOUR_SECONDS, LIMIT)).map(({ businessAccountId }) => businessAccountId).sort();

describe('claiming business accounts whose templates are due', () => {
  it('passes over those whose channels are removed or suspended, however long ago they were read', async () => {
    for (let number = 0; number < 2 * LIMIT; number++)
      await addBusinessAccount(`gone ${number}`, number % 2 === 0 ? 'removed' : 'suspended', '30 days');
    await addBusinessAccount('used', 'connected', '90 minutes');
    assert.deepEqual(await claim(), ['used']);
  });

  it('comes back to those that could not be read only after all others', async () => {
    for (let number = 0; number < LIMIT; number++) await addBusinessAccount(`away ${number}`, 'connected', '30 days');
    await addBusinessAccount('used', 'connected', '90 minutes');
    assert.equal((await claim()).length, LIMIT, 'the provider tells nothing of them');
    await test.database.query("update template_sync set started_at = started_at - interval '11 minutes'");
    const next = await claim();
    assert.deepEqual([next.includes('used'), next.length], [true, LIMIT]);
  });
});
