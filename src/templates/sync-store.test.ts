import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { meetLock } from '../../test/support/meet-lock.ts';
import { claimDue } from '../../test/templates/claim-due.ts';
import { newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import type { TemplateOwner } from './store.ts';
import {
  forgetGoneSyncs,
  hastenSyncs,
  listSynced,
  makeSyncsDue,
  noteBegun,
  noteFailed,
  noteNewSyncs,
  noteSynced,
} from './sync-store.ts';

const { database, drop } = await createTestDatabase();
after(drop);

const ALL = 100;
let own: TemplateOwner;
/** Each differs from `own` in one thing. */
let others: TemplateOwner[];
beforeEach(async () => {
  await database.query('delete from template_sync');
  await database.query("update channel set status = 'removed'");
  const [accountId, otherId] = [newId(), newId()];
  await database.query("insert into account (id, name) select id, 'Test' from unnest($1::uuid[]) as id", [
    [accountId, otherId],
  ]);
  own = { accountId, mode: 'live', businessAccountId: '2' };
  others = [
    { ...own, accountId: otherId },
    { ...own, mode: 'test' },
    { ...own, businessAccountId: '3' },
  ];
});

describe('the reading of a business account, for one account in one mode', () => {
  it('ends alone, and tells of no other that it was ever read', async () => {
    for (const owner of others) await noteBegun(database, owner);
    await noteSynced(database, own, await noteBegun(database, own));
    const before = await syncs(others);
    await noteSynced(database, own, await noteBegun(database, own));
    assert.deepEqual(await syncs(others), before);
    const businessAccountIds = ['2', '3'];
    assert.deepEqual(await listSynced(database, own, businessAccountIds), new Set(['2']));
    assert.deepEqual(await listSynced(database, own, ['3']), new Set());
    for (const owner of others.slice(0, 2))
      assert.deepEqual(await listSynced(database, owner, businessAccountIds), new Set());
  });

  it('fails alone', async () => {
    const begunAt = await noteBegun(database, own);
    for (const owner of others) await noteBegun(database, owner);
    // All of them have begun in the same moment.
    await database.query('update template_sync set started_at = $1::text::timestamptz', [begunAt]);
    const before = await syncs(others);
    await noteFailed(database, own, begunAt);
    assert.deepEqual(await syncs(others), before);
    assert.notDeepEqual(await syncs([own]), before.slice(0, 1));
  });

  it('keeps others from beginning for ten minutes, and for one minute once it has failed', async () => {
    await connect(own);
    const pass = (time: string) =>
      database.query('update template_sync set started_at = started_at - $1::interval', [time]);
    await noteBegun(database, own);
    for (const [time, due] of [
      ['590 seconds', []],
      ['11 seconds', [own]],
    ] as const) {
      await pass(time);
      assert.deepEqual(await claimed(), due);
    }
    await noteFailed(database, own, await noteBegun(database, own));
    assert.deepEqual(await claimed(), []);
    await pass('61 seconds');
    assert.deepEqual(await claimed(), [own]);
  });

  it('is due again by news of it alone', async () => {
    for (const owner of [own, ...others]) {
      await connect(owner);
      await noteSynced(database, owner, await noteBegun(database, owner));
    }
    assert.deepEqual(await claimDue(database, ALL), []);
    await makeSyncsDue(database, [own]);
    assert.deepEqual(await claimed(), [own]);
    assert.deepEqual(await claimed(), [], 'it is being read');
  });

  it('is made due with others in one order, so that two who do it do not wait in a circle', async () => {
    const both = [own, { ...own, businessAccountId: '3' }];
    for (const owner of both) await noteBegun(database, owner);
    const [first, second] = both;
    const lock = 'select 1 from template_sync where account_id = $1 and business_account_id = $2 for update nowait';
    await meetLock(database, {
      hold: (tx) => tx.query(lock, [first?.accountId, first?.businessAccountId]),
      work: () => makeSyncsDue(database, both.toReversed()),
      meanwhile: (tx) => tx.query(lock, [second?.accountId, second?.businessAccountId]),
    });
  });

  it('has been done once it ends, and is due again where there was news meanwhile', async () => {
    await connect(own);
    const begunAt = await noteBegun(database, own);
    await makeSyncsDue(database, [own]);
    assert.deepEqual(await listSynced(database, own, ['2']), new Set());
    await noteSynced(database, own, begunAt);
    assert.deepEqual(await listSynced(database, own, ['2']), new Set(['2']));
    assert.deepEqual(await claimed(), [own]);
  });

  it('is claimed for who has a connected channel there, and by no other one’s claim', async () => {
    for (const owner of [own, ...others]) await due(owner, '2 hours');
    for (const owner of others) await connect(owner);
    assert.deepEqual(await claimed(), sorted(others));
    await connect(own);
    assert.deepEqual(await claimed(), [own]);
  });

  it('is due again if it was done while the clock of the database was ahead', async () => {
    const begun = { ...own, businessAccountId: 'begun' };
    for (const owner of [own, begun, ...others]) await connect(owner);
    await due(own, '-3 days');
    await noteBegun(database, begun);
    await database.query(
      "update template_sync set started_at = now() + interval '3 days' where business_account_id = 'begun'",
    );
    for (const owner of others) await due(owner, '0');
    assert.equal(await hastenSyncs(database), 2);
    assert.equal(await hastenSyncs(database), 0);
    assert.deepEqual(await listSynced(database, own, ['2', 'begun']), new Set(['2']), 'it is still known as read');
    assert.deepEqual(await claimed(), sorted([own, begun]));
  });

  it('is claimed first that is due longest', async () => {
    for (const [place, businessAccountId] of ['new', 'old', 'middle'].entries()) {
      await connect({ ...own, businessAccountId });
      await due({ ...own, businessAccountId }, `${[2, 4, 3][place]} hours`);
    }
    const order = [];
    for (let times = 0; times < 3; times++) order.push(...(await claimed(1)));
    assert.deepEqual(
      order.map(({ businessAccountId }) => businessAccountId),
      ['old', 'middle', 'new'],
    );
  });

  it('is claimed by one of two nodes that look in the same moment', async () => {
    await connect(own);
    await due(own, '2 hours');
    await database.transaction(async (tx) => {
      assert.equal((await claimDue(tx, ALL)).length, 1);
      assert.deepEqual(await claimed(), []);
    });
    assert.deepEqual(await claimed(), []);
  });

  it('takes nothing from the others that are due', async () => {
    for (const owner of [own, ...others]) {
      await connect(owner);
      await due(owner, owner === own ? '3 hours' : '2 hours');
    }
    assert.deepEqual(await claimed(1), [own]);
    assert.deepEqual(await claimed(), sorted(others));
  });

  it('is forgotten where no channel of that account and mode is left, once it is due', async () => {
    for (const owner of [own, ...others]) await due(owner, '2 hours');
    for (const owner of others) await connect(owner, 'suspended');
    const young = { ...own, businessAccountId: 'young' };
    await due(young, '10 minutes');
    assert.equal(await forgetGoneSyncs(database), 1);
    assert.deepEqual(await all(), sorted([...others, young]));
  });

  it('is to be done for each live channel that is connected, whatever others have', async () => {
    for (const owner of others) await due(owner, '10 minutes');
    await connect(own);
    await connect({ ...own, mode: 'test', businessAccountId: 'test' });
    await connect({ ...own, businessAccountId: 'suspended' }, 'suspended');
    assert.equal(await noteNewSyncs(database), 1);
    assert.equal(await noteNewSyncs(database), 0);
    assert.deepEqual(await all(), sorted([own, ...others]));
  });
});

function connect(owner: TemplateOwner, status: 'connected' | 'suspended' = 'connected') {
  return database.query(
    `insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed, status)
     values ($1, gen_random_uuid(), $2, gen_random_uuid(), $3, '+15550790000', '', $4)`,
    [owner.accountId, owner.mode, owner.businessAccountId, status],
  );
}

function due(owner: TemplateOwner, readAgo: string) {
  return database.query(
    `insert into template_sync (account_id, mode, business_account_id, synced_at) values ($1, $2, $3, now() - $4::interval)`,
    [owner.accountId, owner.mode, owner.businessAccountId, readAgo],
  );
}

async function syncs(owners: readonly TemplateOwner[]) {
  const rows = [];
  for (const { accountId, mode, businessAccountId } of owners)
    rows.push(
      ...(await database.query(
        `select synced_at, started_at::text from template_sync
         where account_id = $1 and mode = $2 and business_account_id = $3`,
        [accountId, mode, businessAccountId],
      )),
    );
  return rows;
}

async function all(): Promise<TemplateOwner[]> {
  return sorted(
    await database.query<{ accountId: string; mode: Mode; businessAccountId: string }>(
      'select account_id as "accountId", mode, business_account_id as "businessAccountId" from template_sync',
    ),
  );
}

const claimed = async (limit = ALL) => sorted(await claimDue(database, limit));

function sorted(owners: readonly TemplateOwner[]): TemplateOwner[] {
  return owners
    .map((owner) => ({ ...owner }))
    .sort((a, b) => (JSON.stringify(Object.values(a)) < JSON.stringify(Object.values(b)) ? -1 : 1));
}
