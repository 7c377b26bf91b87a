import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { endErasures, erase } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { changeBody, lineOf, messagesBody, postAndApply, textFrom } from '../../test/support/notifications.ts';
import { newId } from '../kernel/ids.ts';

const ADA = '+447700900761';
const ADAS_IDS = { from_user_id: 'GB.ADA1815', from_parent_user_id: 'GB.ENT.ADA1815' };
/** All that is Ada's has one of these in it. */
const TRACE = `${ADA.slice(1)}|ADA1815|Lovelace`;

/** What is no text of a person, whatever it says: words and codes of ours and of the provider, hashes, what an account says of itself. */
const OF_NOBODY: Record<string, string[]> = {
  account: ['name'],
  api_key: ['name', 'sha256', 'scopes'],
  applied_news: ['sha256'],
  attempt: ['type', 'outcome', 'error'],
  audit: ['actor', 'action', 'target', 'detail'],
  channel: [
    ...['phone_number_id', 'business_account_id', 'phone_number', 'name', 'access_token_sealed', 'quality'],
    'messaging_limit',
  ],
  endpoint: ['url', 'types', 'description', 'disabled_reason', 'secret_sealed', 'previous_secret_sealed'],
  erased_inbound_id: ['phone_number_id', 'provider_message_id_sha256'],
  erasure: ['mark'],
  event: ['type', 'traceparent'],
  idempotency: ['body_sha256'],
  keeping: ['task', 'place'],
  marketing_preference: ['business_account_id'],
  master_key_check: ['sealed'],
  message: ['type', 'pricing'],
  message_statistics: ['failures'],
  migration: ['name', 'sha256'],
  node: ['host'],
  notification: ['kinds', 'error'],
  request: ['type', 'traceparent'],
  template: [
    ...['business_account_id', 'provider_template_id', 'name', 'language', 'status', 'category', 'parameter_format'],
    ...['components', 'quality'],
  ],
  template_sync: ['business_account_id'],
  test_marketing_preference: ['business_account_id'],
  timeline: ['status', 'note', 'error'],
};
/** What an erasure leaves to its end, which is near: that of the erasure, of the request, of the moment, or of 24 hours. */
const ENDS_SOON: Record<string, string[]> = {
  erasure: ['persons'],
  idempotency: ['key', 'answer'],
  notification_pack: ['bodies'],
  request: ['intent'],
};

/** The columns whose type can hold any text, with how it is read. Bytes are read as the characters that they are. */
const COLUMNS = `
  select c.relname as table, a.attname as column,
    format(case when t.oid = 'bytea'::regtype then 'encode(%I, ''escape'')' else '%I::text' end, a.attname) as text
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid left join pg_type item on t.typcategory = 'A' and item.oid = t.typelem
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and coalesce(item.typcategory, t.typcategory) not in ('B', 'D', 'E', 'N', 'T') and coalesce(item.oid, t.oid) <> 'uuid'::regtype
  order by 1, 2`;

interface Column {
  table: string;
  column: string;
  text: string;
}

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

it('an erasure empties each column that can hold something of the person, whatever columns there are', async () => {
  const columns = await gateway.database.query<Column>(COLUMNS);
  const isIn = (list: Record<string, string[]>, { table, column }: Column) => list[table]?.includes(column) === true;
  const ofPersons = columns.filter((one) => !isIn(OF_NOBODY, one) && !isIn(ENDS_SOON, one));
  await fill();
  assert.deepEqual(await tracesIn(ofPersons), ofPersons.map(nameOf), 'a column is in a list above, or filled below');
  await erase(gateway, ADA);
  await endErasures(gateway.database);
  assert.deepEqual(await tracesIn(ofPersons), []);
});

/** A send, one that cannot be read, one that was refused, a text and a stop in each mode, and what an endpoint answered. */
async function fill(): Promise<void> {
  const { database, accountId } = gateway;
  const line = await lineOf(gateway);
  const text = { type: 'text', text: { body: 'Dear Countess Lovelace' }, client_reference: 'Lovelace-1' };
  const body = { to: [ADA, `00${ADA.slice(1)}`], ...text };
  await gateway.call('POST', '/api/v1/messages/send', { body, headers: { 'idempotency-key': 'Lovelace-order' } });
  const components = [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'Lovelace', text: 'Ada' }] }];
  const template = { name: 'greeting_named', language: 'en_US', components };
  await gateway.call('POST', '/api/v1/messages/send', { body: { to: ADA, type: 'template', template } });
  await database.query('update message set outcome_error = error where error is not null');
  const answered = { context: { from: line.phoneNumber.slice(1), id: 'wamid.Lovelace-answered' } };
  const said = textFrom(ADA, 'wamid.Lovelace', { ...ADAS_IDS, ...answered, text: { body: 'Yours, Lovelace' } });
  await postAndApply(gateway, messagesBody(line, { messages: [said] }));
  const stop = { category: 'marketing_messages', value: 'stop', timestamp: 1_767_225_600 };
  await postAndApply(
    gateway,
    changeBody(line, 'user_preferences', {
      metadata: { phone_number_id: line.phoneNumberId },
      user_preferences: [{ wa_id: ADA.slice(1), user_id: ADAS_IDS.from_user_id, ...stop }],
    }),
  );
  await database.query(
    `insert into marketing_preference (account_id, business_account_id, person, other, stopped, at)
     select account_id, business_account_id, person, other, stopped, at from test_marketing_preference`,
  );
  await database.query(
    `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, duration_ms, answer)
     select account_id, gen_random_uuid(), $2, id, type, 1, now(), 'succeeded', 200, 1, 'Thanks, Lovelace' from event
     where account_id = $1 and type = 'message.received'`,
    [accountId, newId()],
  );
}

/** Which of these columns have something of Ada's in any row. */
async function tracesIn(columns: readonly Column[]): Promise<string[]> {
  const found: string[] = [];
  for (const column of columns) {
    const sql = `select 1 from ${column.table} where ${column.text} ~ $1 limit 1`;
    if ((await gateway.database.query(sql, [TRACE])).length > 0) found.push(nameOf(column));
  }
  return found;
}

function nameOf({ table, column }: Column): string {
  return `${table}.${column}`;
}
