import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endErasures, erase } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { changeBody, lineOf, messagesBody, postAndApply, textFrom } from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';
import { eraseDeletedAccount } from './delete-account.ts';

const ADA = '+447700900741';
const ADAS_IDS = { from_user_id: 'GB.ADA1815', from_parent_user_id: 'GB.ENT.ADA1815' };
const GRACE = '+447700900742';
/** All that a walk through an account's data may change. */
const TABLES = [
  ...['message', 'request', 'event', 'attempt', 'inbound_id'],
  ...['customer_window', 'test_marketing_preference', 'parent_user_id'],
];

let gateway: TestGateway;
let twin: string;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  await fill();
  twin = await gateway.createAccount('Twin');
  for (const table of TABLES) await copy(table, gateway.accountId, twin);
  // All of the twin's requests are still running, which nobody else has to wait for.
  await gateway.database.query(`update request set completed_at = null, intent = '[]' where account_id = $1`, [twin]);
});
after(() => gateway.stop());

describe('an account that has the very same as another one', () => {
  it('loses nothing when a person is erased from that one', async () => {
    // Only the twin knows that this message was Ada's.
    const [grace] = await gateway.database.query<{ id: string }>(
      `update message set reply_to_provider_message_id = 'wamid.twins' where provider_message_id = 'wamid.grace-2' returning id`,
    );
    await gateway.database.query(
      `update message set provider_message_id = 'wamid.twins' where provider_message_id = 'wamid.ada-2' and account_id = $1`,
      [twin],
    );
    // Only there are these user ids other names of the person.
    await prefer(gateway.accountId, ADA, 'GB.SOMEBODY');
    await prefer(gateway.accountId, 'GB.SOMEBODY', GRACE);
    await prefer(twin, 'GB.SOMEBODY', ADA);
    await prefer(gateway.accountId, 'GB.TWINS', GRACE);
    await gateway.database.query(`update message set user_id = 'GB.TWINS' where account_id = $1 and phone = $2`, [
      twin,
      ADA,
    ]);
    const rows = await rowsOf(twin);
    for (const table of TABLES)
      assert.ok(
        rows.some((row) => row.startsWith(table)),
        `${table} has rows`,
      );
    const before = await rowsOf(gateway.accountId);

    await erase(gateway, ADA);
    await endErasures(gateway.database);
    assert.deepEqual(await rowsOf(twin), rows);
    const after = await rowsOf(gateway.accountId);
    assert.ok(!after.some((row) => row.includes(ADA.slice(1)) || row.includes('ADA1815')), 'the person is erased');
    for (const somebody of ['GB.SOMEBODY', 'GB.TWINS'])
      assert.ok(
        after.some((row) => /preference/.test(row) && row.includes(somebody) && row.includes(GRACE)),
        'who only the twin knows to be the person stays, with the other identity',
      );
    for (const row of before.filter((one) => one.includes(grace?.id ?? '') && one.startsWith('message')))
      assert.ok(after.includes(row), 'what names a message that is nobody’s here stays');
  });

  it('loses nothing when that one is deleted, and holds nothing up', async () => {
    const { database, accountId, platformKey: key } = gateway;
    await gateway.createKey({ accountId: twin, mode: 'test' });
    const created = { url: 'https://example.com/' };
    const endpoint = await gateway.call('POST', '/api/v1/endpoints', { body: created });
    assert.equal(endpoint.status, 201, endpoint.text);
    await database.query('update endpoint set account_id = $1', [twin]);
    // Another partition, in which rows stand at the same places.
    await database.query(
      `insert into message
       select (jsonb_populate_record(m, jsonb_build_object('id', '01700000-0000-7000-8000-' || lpad(n::text, 12, '0')))).*
       from message m, generate_series(1, 200) as n
       where m.account_id = $1 and m.id = (select id from message where account_id = $1 limit 1)`,
      [twin],
    );
    const tables = [...TABLES, 'endpoint', 'api_key', 'channel'];
    const rows = await rowsOf(twin, tables);
    assert.equal((await gateway.call('DELETE', `/platform/v1/accounts/${accountId}`, { key })).status, 202);
    await until(async () => {
      await eraseDeletedAccount(database, 0);
      return (await database.query('select 1 from account where id = $1', [accountId])).length === 0;
    });
    assert.deepEqual(await rowsOf(gateway.accountId, tables), []);
    assert.deepEqual(await rowsOf(twin, tables), rows);
  });
});

/** A send to both, one to Ada alone, one to nobody, texts of each, a stop of each, and what an endpoint answered. */
async function fill(): Promise<void> {
  const { database, accountId } = gateway;
  const line = await lineOf(gateway);
  const text = { type: 'text', text: { body: 'Dear Countess' }, client_reference: 'countess' };
  for (const to of [[ADA, GRACE], [ADA], [`00${ADA.slice(1)}`]])
    await gateway.call('POST', '/api/v1/messages/send', { body: { to, ...text } });
  const say = (...messages: object[]) => postAndApply(gateway, messagesBody(line, { messages }));
  await say(textFrom(ADA, 'wamid.ada-1', ADAS_IDS), textFrom(ADA, 'wamid.ada-2', ADAS_IDS));
  await say(
    textFrom(GRACE, 'wamid.grace-1', { context: { from: ADA.slice(1), id: 'wamid.ada-1' } }),
    textFrom(GRACE, 'wamid.grace-2'),
  );
  const stop = { category: 'marketing_messages', value: 'stop', timestamp: 1_767_225_600 };
  await postAndApply(
    gateway,
    changeBody(line, 'user_preferences', {
      metadata: { phone_number_id: line.phoneNumberId },
      user_preferences: [
        { wa_id: ADA.slice(1), user_id: ADAS_IDS.from_user_id, ...stop },
        { user_id: ADAS_IDS.from_user_id, ...stop },
        { wa_id: GRACE.slice(1), user_id: ADAS_IDS.from_user_id, ...stop },
      ],
    }),
  );
  await database.query(
    `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, duration_ms, answer)
     select account_id, gen_random_uuid(), $2, id, type, 1, now(), 'succeeded', 200, 1, 'Thanks' from event where account_id = $1`,
    [accountId, newId()],
  );
}

/** A stop of one person that names another identity. */
function prefer(accountId: string, person: string, other: string) {
  return gateway.database.query(
    `insert into test_marketing_preference (account_id, business_account_id, person, other, stopped, at)
     select $1::uuid, business_account_id, $2, $3, true, now() - interval '1 hour' from channel where account_id = $4
     on conflict (account_id, business_account_id, person) do update set other = excluded.other`,
    [accountId, person, other, gateway.accountId],
  );
}

/** The same rows with the same ids, in another account. */
async function copy(table: string, from: string, to: string): Promise<void> {
  await gateway.database.query(
    `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('account_id', $2::uuid))).*
     from ${table} t where account_id = $1`,
    [from, to],
  );
}

async function rowsOf(accountId: string, tables = TABLES): Promise<string[]> {
  const rows: string[] = [];
  for (const table of tables)
    for (const { row } of await gateway.database.query<{ row: string }>(
      `select t::text as row from ${table} t where account_id = $1 order by 1`,
      [accountId],
    ))
      rows.push(`${table} ${row}`);
  return rows;
}
