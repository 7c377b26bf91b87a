import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { askToErase, endDeletions, endErasures, erase, SETTLED_MS } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { hastenDeletedAccounts } from './account-store.ts';
import { eraseRound } from './erase-round.ts';

const TO = '+447700900735';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

it('an erasure that meets a fault of ours ends one gateway an hour, and not each as soon as it has started', async () => {
  const { database } = gateway;
  const accountId = await gateway.createAccount('With a row that no statement can read');
  const key = await gateway.createKey({ accountId });
  const body = { to: TO, type: 'text', text: { body: 'Hello' } };
  for (const one of [{ key }, {}])
    assert.equal((await gateway.call('POST', '/api/v1/messages/send', { ...one, body })).json.accepted_count, 1);
  const countNamed = 'select count(*)::int as named from message where account_id = $1 and phone is not null';
  assert.deepEqual(await database.query(countNamed, [gateway.accountId]), [{ named: 1 }]);
  await database.query(`
    create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'a row of one account' using errcode = '2201B'; end $$`);
  await database.query(`
    create trigger fail before update on message for each row when (new.account_id = '${accountId}') execute function fail()`);
  assert.equal((await askToErase(gateway, { to: TO }, accountId)).status, 202);
  await assert.rejects(eraseRound(database, SETTLED_MS), /a row of one account/);
  // The next gateway has nothing of that account to do, and everything of others.
  await eraseRound(database, SETTLED_MS);
  await erase(gateway, TO);
  await eraseRound(database, SETTLED_MS);
  const dueInMinutes = `
    select round(extract(epoch from due_at - now()) / 60)::int as minutes from erasure where account_id = $1`;
  assert.deepEqual(await database.query(dueInMinutes, [accountId]), [{ minutes: 60 }]);
  assert.deepEqual(await database.query(countNamed, [gateway.accountId]), [{ named: 0 }]);
  // Once the fault is mended it goes on by itself.
  await database.query('drop trigger fail on message');
  await endErasures(database);
  assert.deepEqual(await database.query(countNamed, [accountId]), [{ named: 0 }]);
});

it('the erasure of an account that meets one does so too, as where a table of the operator refers to the account', async () => {
  const { database } = gateway;
  const [billed, other] = [await gateway.createAccount('With an invoice'), await gateway.createAccount('Without one')];
  await database.query('create schema shop');
  await database.query('create table shop.invoice (of uuid references account (id))');
  await database.query('insert into shop.invoice values ($1)', [billed]);
  for (const id of [billed, other])
    assert.equal(
      (await gateway.call('DELETE', `/platform/v1/accounts/${id}`, { key: gateway.platformKey })).status,
      202,
    );
  // The account with the invoice was deleted first, so each round begins with it.
  await database.query(`update account set deleted_at = deleted_at - interval '1 hour' where deleted_at is not null`);
  await assert.rejects(eraseRound(database, SETTLED_MS), /foreign key/);
  const left = async () =>
    (await database.query<{ id: string }>('select id from account where deleted_at is not null')).map(({ id }) => id);
  await eraseRound(database, SETTLED_MS);
  assert.deepEqual(await left(), [billed], 'the next gateway erases the other one, and goes on');
  assert.equal(await hastenDeletedAccounts(database), 0);
  await eraseRound(database, SETTLED_MS);
  const dueInMinutes = `
    select round(extract(epoch from deleted_at - now() + make_interval(secs => $2)) / 60)::int as minutes from account where id = $1`;
  assert.deepEqual(await database.query(dueInMinutes, [billed, SETTLED_MS / 1_000]), [{ minutes: 60 }]);
  await database.query('delete from shop.invoice');
  await database.query('update account set deleted_at = now() where deleted_at is not null');
  await endDeletions(database);
  assert.deepEqual(await left(), []);
});
