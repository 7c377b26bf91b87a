import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { noteDelivering } from '../../src/endpoints/deliver/time-off-store.ts';
import { newId } from '../../src/kernel/ids.ts';
import { migrate } from '../../src/store/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { migrateTo } from './older-schema.ts';

/** The last migration of the versions that do not note that they look for deliveries. */
const UNNOTED = 41;
const FAILING_HOURS = 6 * 24 + 1;
let test: TestDatabase;

beforeEach(async () => {
  test = await createTestDatabase({ migrated: false });
  await migrateTo(test.database, UNNOTED);
  const [accountId, id] = [newId(), newId()];
  await test.database.query("insert into account (id, name) values ($1, 'Acme')", [accountId]);
  await test.database.query(
    `insert into endpoint (account_id, id, mode, url, secret_sealed, enabled, failing_since)
     values ($1, $2, 'test', 'https://example.com/hook', '', true, now() - make_interval(hours => $3))`,
    [accountId, id, FAILING_HOURS],
  );
});
afterEach(() => test.drop());

it('days in which no gateway of an older version ran count against no endpoint', async () => {
  await lookBefore('6 days 16 minutes');
  await migrate(test.database);
  await noteDelivering(test.database);
  assert.equal(await hoursFailing(), 1);
});

it('an upgrade beside an older version that runs moves no days', async () => {
  await lookBefore('15 minutes');
  await migrate(test.database);
  await noteDelivering(test.database);
  assert.equal(await hoursFailing(), FAILING_HOURS);
});

it('what a gateway has noted since it can stays', async () => {
  await migrateTo(test.database, UNNOTED + 1);
  await noteDelivering(test.database);
  await lookBefore('6 days');
  await migrate(test.database);
  await noteDelivering(test.database);
  assert.equal(await hoursFailing(), FAILING_HOURS);
});

it('a database in which the statistics have not looked yet is left alone', async () => {
  await migrate(test.database);
  await noteDelivering(test.database);
  assert.equal(await hoursFailing(), FAILING_HOURS);
});

/** As if the last look of the statistics, which every gateway takes, had been so long ago. */
async function lookBefore(time: string): Promise<void> {
  await test.database.query('update message_statistics_sweep set swept_until = now() - $1::interval', [time]);
}

async function hoursFailing(): Promise<number | undefined> {
  const sql = 'select round(extract(epoch from now() - failing_since) / 3600, 1)::float8 as hours from endpoint';
  const [row] = await test.database.query<{ hours: number }>(sql);
  return row?.hours;
}
