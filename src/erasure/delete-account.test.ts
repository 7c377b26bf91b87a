import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  asSandbox,
  isProcessed,
  lineOf,
  messagesBody,
  postSigned,
  sendOne,
  textFrom,
} from '../../test/support/notifications.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';
import { listAccountTables } from './account-store.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, path, { key: gateway.platformKey, ...(body !== undefined && { body }) });

async function rowsOf(accountId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await listAccountTables(gateway.database)) {
    const [row] = await gateway.database.query<{ rows: number }>(
      `select count(*) as rows from ${table} where account_id = $1`,
      [accountId],
    );
    if (row !== undefined && row.rows > 0) counts[table] = row.rows;
  }
  return counts;
}

async function fill(): Promise<void> {
  await sendOne(gateway);
  const body = { to: '+447700900801', type: 'text', text: { body: 'Once' } };
  await gateway.call('POST', '/api/v1/messages/send', { body, headers: { 'idempotency-key': 'once' } });
  const value = { messages: [textFrom('+447700900801', 'wamid.in')] };
  await postSigned(asSandbox(gateway), messagesBody(await lineOf(gateway), value));
  await until(() => isProcessed(gateway));
  await gateway.database.query(
    `insert into endpoint (account_id, id, mode, url, secret_sealed) values ($1, $2, 'test', 'https://example.com', '')`,
    [gateway.accountId, newId()],
  );
}

describe('deleting an account', () => {
  it('stops it at once, and erases its data and no one else in the background', async () => {
    await fill();
    assert.equal((await gateway.call('GET', '/api/v1/account')).status, 200);
    const neighbour = await gateway.createAccount('Neighbour');
    const before = await rowsOf(gateway.accountId);
    for (const table of ['message', 'request', 'idempotency', 'inbound_id', 'event', 'endpoint', 'channel', 'api_key'])
      assert.ok((before[table] ?? 0) > 0, table);
    const neighbourBefore = await rowsOf(neighbour);
    const path = `/platform/v1/accounts/${gateway.accountId}`;
    const line = await lineOf(gateway);
    const answer = await call('DELETE', path);
    assert.deepEqual([answer.status, answer.text], [202, '']);
    assertProblem(await gateway.call('GET', '/api/v1/account'), 'invalid_api_key');

    for (const [method, at, body] of [
      ['GET', path],
      ['DELETE', path],
      ['PATCH', path, { name: 'Back' }],
      ['POST', `${path}/keys`, { name: 'New', mode: 'test' }],
      ['GET', `${path}/channels`],
      ['POST', `${path}/erase`, { to: '+447700900801' }],
    ] as const)
      assertProblem(await call(method, at, body), 'not_found');
    const listed = await call('GET', '/platform/v1/accounts');
    assert.ok(!listed.text.includes(gateway.accountId) && listed.text.includes(neighbour));
    // Its number can be connected again, by another account.
    const wish = {
      phone_number_id: line.phoneNumberId,
      business_account_id: '2001',
      display_phone_number: '+15550781234',
      access_token: 'a-token',
      mode: 'test',
    };
    assert.equal((await call('POST', `/platform/v1/accounts/${neighbour}/channels`, wish)).status, 201);

    assert.ok(((await rowsOf(gateway.accountId)).message ?? 0) > 0, 'what is under way may still be written');
    await gateway.database.query(`update account set deleted_at = now() - interval '1 hour' where id = $1`, [
      gateway.accountId,
    ]);
    const gone = () => gateway.database.query('select 1 from account where id = $1', [gateway.accountId]);
    await until(async () => (await gone()).length === 0);
    assert.deepEqual(await rowsOf(gateway.accountId), {});
    const neighbourAfter = await rowsOf(neighbour);
    for (const [table, rows] of Object.entries(neighbourBefore)) assert.ok((neighbourAfter[table] ?? 0) >= rows, table);
    const audit = (await call('GET', `/platform/v1/audit?account_id=${gateway.accountId}`)).json.data;
    assert.deepEqual(
      audit.slice(0, 2).map(({ action }: { action: string }) => action),
      ['account.erased', 'account.deleted'],
    );
  });
});
