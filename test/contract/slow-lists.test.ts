import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

/** Enough that a list which none of them passes is slow beside the coming of a call. */
const MESSAGES = 60_000;
/** As many as a key may ask for in a second. */
const LISTS = 48;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ settings: { WAYPOST_DATABASE_CONNECTIONS: '4' } });
});
after(() => gateway.stop());

it('an account that asks for slow lists all at once has them one after another, and the sends of others go on', async () => {
  const { call, database } = gateway;
  const first = await call('POST', '/api/v1/messages/send', { body: textTo('+447700900910') });
  assert.equal(first.json.accepted_count, 1);
  await database.query(FILL, [gateway.accountId, MESSAGES]);
  const other = await gateway.createAccount('Other');
  const wish = { name: 'Other', mode: 'test' };
  const made = await call('POST', `/platform/v1/accounts/${other}/keys`, { key: gateway.platformKey, body: wish });

  let read = 0;
  const list = async () => {
    const { status } = await call('GET', '/api/v1/messages?status=sent');
    read += 1;
    return status;
  };
  const lists = Promise.all(Array.from({ length: LISTS }, list));
  await until(() => read > 0);
  const send = await call('POST', '/api/v1/messages/send', { key: made.json.key, body: textTo('+447700900911') });
  assert.equal(send.json.accepted_count, 1, send.text);
  assert.ok(read < LISTS / 2, `the send waited for ${read} lists`);
  // They are within the rate of the key, so none is refused.
  assert.deepEqual(new Set(await lists), new Set([200]));
});

const textTo = (to: string) => ({ to, type: 'text', text: { body: 'Hello' } });

/** Copies of the one message that the account has. The id of each differs in its last digits. */
const FILL = `
  insert into message (account_id, id, request_id, channel_id, mode, direction, type, phone, status, own_reference, held, outcome,
    outcome_at, updated_at)
  select account_id, (left(id::text, 24) || lpad(place::text, 12, '0'))::uuid, request_id, channel_id, mode, direction, type, phone,
    status, own_reference, held, outcome, outcome_at, updated_at
  from message cross join generate_series(1, $2::integer) as place where account_id = $1`;
